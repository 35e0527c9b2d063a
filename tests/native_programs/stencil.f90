! SPDX-License-Identifier: Apache-2.0
! Loops of a Fortran program that calls cuBLAS, each with one line that costs it most, which a comment names.
! stencil CASE
module device
  use iso_c_binding
  implicit none
  integer, parameter :: n = 256, steps = 25
  integer(c_size_t), parameter :: bytes = n * n * 4
  integer(c_int), parameter :: to_device = 1, to_host = 2
  type(c_ptr) :: handle, a, b
  interface
    integer(c_int) function cublasCreate(handle) bind(C, name="cublasCreate_v2")
      import c_int, c_ptr
      type(c_ptr) :: handle
    end function
    integer(c_int) function cublasSgemm(handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) bind(C, name="cublasSgemm_v2")
      import c_int, c_ptr, c_float
      type(c_ptr), value :: handle, a, b, c
      integer(c_int), value :: ta, tb, m, n, k, lda, ldb, ldc
      real(c_float) :: alpha, beta
    end function
    integer(c_int) function cudaMalloc(pointer, bytes) bind(C, name="cudaMalloc")
      import c_int, c_ptr, c_size_t
      type(c_ptr) :: pointer
      integer(c_size_t), value :: bytes
    end function
    integer(c_int) function cudaMemcpy(to, from, bytes, kind) bind(C, name="cudaMemcpy")
      import c_int, c_ptr, c_size_t
      type(c_ptr), value :: to, from
      integer(c_size_t), value :: bytes
      integer(c_int), value :: kind
    end function
    integer(c_int) function cudaDeviceSynchronize() bind(C, name="cudaDeviceSynchronize")
      import c_int
    end function
  end interface
  real(c_float), target :: field(n, n)
contains
  subroutine multiply()
    real(c_float) :: one = 1, zero = 0
    if (cublasSgemm(handle, 0, 0, n, n, n, one, a, n, a, n, zero, b, n) /= 0) stop 1
  end subroutine
  subroutine check(status)
    integer(c_int), intent(in) :: status
    if (status /= 0) stop 1
  end subroutine
end module

subroutine boundary(field)
  use iso_c_binding
  implicit none
  real(c_float) :: field(256, 256)
  integer :: i, j, pass
  do pass = 1, 40
    do j = 2, 255
      do i = 2, 255
        field(i, j) = 0.25 * (field(i - 1, j) + field(i + 1, j) + field(i, j - 1) + sqrt(abs(field(i, j + 1))))
      end do
    end do
  end do
end subroutine

subroutine boundary_loop()
  use device
  implicit none
  integer :: step
  do step = 1, steps
    call multiply()
    call check(cudaDeviceSynchronize())  ! also: boundary_loop
    call boundary(field)  ! answer: boundary_loop
    call check(cudaMemcpy(a, c_loc(field), bytes, to_device))  ! also: boundary_loop
  end do
end subroutine

subroutine residual_loop()
  use device
  implicit none
  integer :: step
  do step = 1, steps
    call multiply()
    call multiply()
    call check(cudaMemcpy(c_loc(field), b, bytes, to_host))  ! answer: residual_loop
    if (maxval(field) > 1e30) stop 2  ! also: residual_loop
  end do
end subroutine

program main
  use device
  implicit none
  character(len=32) :: which
  call get_command_argument(1, which)
  call check(cublasCreate(handle))
  call check(cudaMalloc(a, bytes))
  call check(cudaMalloc(b, bytes))
  field = 1
  call multiply()
  call check(cudaDeviceSynchronize())
  if (which == "boundary_loop") call boundary_loop()
  if (which == "residual_loop") call residual_loop()
  call check(cudaDeviceSynchronize())
end program
