#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "sim/base/units.h"
#include "sim/engine/fluid.h"

namespace parsim {

/// SimGrid as the rest of parsim sees it: a clock with alarms, and flows that share links max-min
/// fairly. Everything that differs between SimGrid versions stays behind this interface.
///
/// One session a process: SimGrid's clock is global and starts once. Handlers run inside the
/// simulation; they may start flows and set alarms, and must not throw.
class SimgridSession {
 public:
  using Tag = std::int64_t;
  struct Handlers {
    std::function<void(Tag)> alarm;
    std::function<void(Tag)> flow_end;
  };

  /// `largest_volume`: of all flows that will be started; sets how finely volumes are resolved.
  SimgridSession(const FluidNetwork& network, Bytes largest_volume, Handlers handlers);
  ~SimgridSession();
  SimgridSession(const SimgridSession&) = delete;
  SimgridSession& operator=(const SimgridSession&) = delete;

  [[nodiscard]] Seconds now() const;
  /// Calls `alarm(tag)` when the clock stands at exactly `date` >= now().
  void set_alarm(Seconds date, Tag tag);
  /// Moves `volume`, above zero and at most `largest_volume`, over the links of the flow from now
  /// on; then calls `flow_end(tag)`.
  void start_flow(std::int32_t flow, Bytes volume, Tag tag);
  /// Runs until no alarm and no flow is left. To be called once, after an alarm was set.
  void run();

 private:
  class Simulation;
  std::unique_ptr<Simulation> simulation_;
};

}  // namespace parsim
