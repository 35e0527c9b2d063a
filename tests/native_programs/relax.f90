! SPDX-License-Identifier: Apache-2.0
! A line that ends with "waits" and a name is one that waits, in that function.
module grid
  use iso_c_binding
  implicit none
  interface
    integer(c_int) function cudaDeviceSynchronize() bind(C, name="cudaDeviceSynchronize")
      import c_int
    end function
  end interface
  integer :: waited = 0
contains
  subroutine relax()
    waited = waited + 1 + cudaDeviceSynchronize()  ! waits grid::relax
  end subroutine
end module

subroutine outside()
  use grid
  waited = waited + 1 + cudaDeviceSynchronize()  ! waits outside_
end subroutine

program main
  use grid
  implicit none
  call relax()
  call outside()
  print *, waited
end program
