// SPDX-License-Identifier: Apache-2.0
// A small solver as people write them: heat in a plate, split among MPI ranks, annotated with NVTX
// ranges.
//
// Build: mpicxx -O2 -std=c++17 -I DIR_OF_NVTX heat.cc -o heat -ldl      Record: mpirun -n 4
// syncline -- ./heat
#include <mpi.h>
#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr int kColumns = 1024;
constexpr int kRows = 1024;  // of all ranks together
constexpr int kTop = 1;      // first row that is ours; row 0 is the upper neighbour's

nvtxDomainHandle_t g_domain;

// A range of the domain "heat" for as long as it lives.
class Range {
 public:
  explicit Range(const std::string& name, uint32_t color = 0) {
    nvtxEventAttributes_t attributes{};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = name.c_str();
    attributes.colorType = color != 0 ? NVTX_COLOR_ARGB : NVTX_COLOR_UNKNOWN;
    attributes.color = color;
    nvtxDomainRangePushEx(g_domain, &attributes);
  }
  ~Range() { nvtxDomainRangePop(g_domain); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
};

struct Plate {
  int rank, size, rows;
  std::vector<double> now, next;

  double* Row(int row) { return now.data() + static_cast<size_t>(row) * kColumns; }
};

Plate MakePlate() {
  Range range("make plate");
  Plate plate;
  MPI_Comm_rank(MPI_COMM_WORLD, &plate.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &plate.size);
  plate.rows = kRows / plate.size;
  plate.now.assign(static_cast<size_t>(plate.rows + 2) * kColumns, 0.0);
  if (plate.rank == 0) std::fill_n(plate.Row(0), kColumns, 100.0);
  plate.next = plate.now;
  return plate;
}

void ExchangeEdges(Plate& plate) {
  Range range("exchange", 0xff4488cc);
  const int above = plate.rank > 0 ? plate.rank - 1 : MPI_PROC_NULL;
  const int below = plate.rank + 1 < plate.size ? plate.rank + 1 : MPI_PROC_NULL;
  MPI_Sendrecv(plate.Row(kTop), kColumns, MPI_DOUBLE, above, 0, plate.Row(plate.rows + 1), kColumns,
               MPI_DOUBLE, below, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(plate.Row(plate.rows), kColumns, MPI_DOUBLE, below, 1, plate.Row(0), kColumns,
               MPI_DOUBLE, above, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// One step; returns the largest change. The last rank does more work, so that there is something to
// find.
double Relax(Plate& plate) {
  Range range("relax", 0xff44aa66);
  double change = 0;
  const int passes = plate.rank == plate.size - 1 ? 2 : 1;
  for (int pass = 0; pass < passes; ++pass) {
    change = 0;
    for (int row = kTop; row <= plate.rows; ++row) {
      const double* here = plate.Row(row);
      double* to = plate.next.data() + static_cast<size_t>(row) * kColumns;
      for (int column = 1; column < kColumns - 1; ++column) {
        to[column] = 0.25 * (here[column - 1] + here[column + 1] + here[column - kColumns] +
                             here[column + kColumns]);
        change = std::max(change, std::fabs(to[column] - here[column]));
      }
    }
  }
  if (plate.rank == 0) std::copy_n(plate.Row(0), kColumns, plate.next.data());
  std::swap(plate.now, plate.next);
  return change;
}

double AgreeOnChange(double mine) {
  Range range("agree", 0xffcc8844);
  double all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  g_domain = nvtxDomainCreateA("heat");
  const int steps = argc > 1 ? std::atoi(argv[1]) : 100;
  Plate plate = MakePlate();
  double change = 0;
  for (int step = 0; step < steps; ++step) {
    Range range("step " + std::to_string(step));
    ExchangeEdges(plate);
    change = Relax(plate);
    if (step % 10 == 9) {
      change = AgreeOnChange(change);
      nvtxMarkA("agreed");
    }
  }
  if (plate.rank == 0) std::printf("after %d steps the largest change is %.4f\n", steps, change);
  MPI_Finalize();
  return 0;
}
