#include "sim/schedule/visits.h"

#include <algorithm>

namespace parsim {

std::vector<Action> interleaved_visits(const ScheduleShape& shape, std::int32_t rank,
                                       ActionKind kind, std::int32_t group) {
  std::vector<Action> order;
  for (std::int32_t first = 0; first < shape.micro_batches; first += group) {
    const std::int32_t last = std::min(first + group, shape.micro_batches);
    for (std::int32_t i = 0; i < shape.chunks; ++i) {
      const std::int32_t chunk = kind == ActionKind::forward ? i : shape.chunks - 1 - i;
      for (std::int32_t m = first; m < last; ++m) {
        order.push_back({kind, chunk * shape.ranks + rank, m});
      }
    }
  }
  return order;
}

}  // namespace parsim
