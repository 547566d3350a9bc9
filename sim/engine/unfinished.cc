#include "sim/engine/unfinished.h"

#include <fmt/format.h>

#include "sim/base/check.h"
#include "sim/graph/verify.h"

namespace parsim {

void throw_unfinished(const TaskGraph& graph, std::size_t finished) {
  verify(graph);
  throw BugError(fmt::format("expected all {} tasks of an acyclic graph to finish, got {}",
                             graph.size(), finished));
}

}  // namespace parsim
