// The only file that includes SimGrid; compiles with 3.32 and, where an interface changed since,
// says so at the place.
//
// Exact dates. SimGrid advances by `clock += date - clock`. In floating point that meets `date`
// exactly whenever the clock stands at half of it or later (Sterbenz: the difference is then
// exact); a longer leap may miss it by a rounding error and, past the date, lose the event. A
// pacing timer at twice the date it was set at keeps every leap that short. The time precision can
// then be far below any duration, so that events an instant apart are not taken for one, and a run
// of a nanosecond is as exact as one of a month. A run needs some 100 pacing timers at most.
//
// Whole bytes. SimGrid takes a volume as an integer. All volumes and bandwidths are multiplied by
// one power of two that brings the largest volume close to 2^62, which changes no duration and
// leaves a volume 10^9 times smaller a rounding error of 10^-10.
//
// Fair shares. Latency is not SimGrid's business: with links of zero latency, rates on a shared
// link are equal whatever the route, and a route that names a link k times weighs k on it. A flow
// is a communication between two hosts of its own, in a zone of its own, so that its route is one
// row.

#include "sim/engine/simgrid_session.h"

#include <fmt/format.h>
#include <simgrid/forward.h>  // version.h needs its macros
#include <simgrid/version.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/base/check.h"
#include "sim/engine/engine.h"

namespace parsim {
namespace {

namespace s4u = simgrid::s4u;
using simgrid::kernel::timer::Timer;

constexpr int kSignals[] = {SIGINT, SIGSEGV, SIGBUS};

/// SimGrid installs handlers that print and exit; ours, or the system's, stay in force.
class KeepSignalHandlers {
 public:
  KeepSignalHandlers() {
    for (const int signal : kSignals) {
      sigaction(signal, nullptr, &before_.emplace_back());
    }
  }
  ~KeepSignalHandlers() {
    for (std::size_t i = 0; i < before_.size(); ++i) {
      sigaction(kSignals[i], &before_[i], nullptr);
    }
  }
  KeepSignalHandlers(const KeepSignalHandlers&) = delete;
  KeepSignalHandlers& operator=(const KeepSignalHandlers&) = delete;

 private:
  std::vector<struct sigaction> before_;
};

/// SimGrid wants the command line; it gets one of ours, so that no option of the user reaches it.
std::unique_ptr<s4u::Engine> make_engine() {
  const KeepSignalHandlers keep;
  xbt_log_control_set("root.thres:critical");
  std::string name = "parsim";
  std::string quiet = "--log=root.thres:critical";
  char* arguments[] = {name.data(), quiet.data(), nullptr};
  int count = 2;
  return std::make_unique<s4u::Engine>(&count, arguments);
}

/// Sets whichever of the two names this SimGrid knows.
void set_precision(const char* name, const char* name_before_3_34, double value) {
#if SIMGRID_VERSION >= 33400
  (void)name_before_3_34;
  s4u::Engine::set_config(name, value);
#else
  (void)name;
  s4u::Engine::set_config(name_before_3_34, value);
#endif
}

void configure() {
  // Plain fluid sharing: no TCP window, no bandwidth lost to acknowledgements, no slow start.
  s4u::Engine::set_config("network/model:CM02");
  s4u::Engine::set_config("network/crosstraffic:0");
  s4u::Engine::set_config("network/TCP-gamma:0");
  s4u::Engine::set_config("network/bandwidth-factor:1");
  s4u::Engine::set_config("network/latency-factor:1");
  s4u::Engine::set_config("network/weight-S:0");
  set_precision("precision/timing", "surf/precision", 1e-100);
  set_precision("precision/work-amount", "maxmin/precision", 1e-12);
}

struct Endpoints {
  s4u::Host* source = nullptr;
  s4u::Host* destination = nullptr;
};

/// The power of two that brings `largest` into [2^61, 2^62).
double volume_scale(double largest) {
  return largest > 0.0 ? std::ldexp(1.0, 61 - std::ilogb(largest)) : 1.0;
}

std::vector<s4u::Link*> create_links(s4u::NetZone& zone, const FluidNetwork& network,
                                     double scale) {
  std::vector<s4u::Link*> links;
  links.reserve(network.links.size());
  for (const FluidLink& link : network.links) {
    const std::string name = fmt::format("link{}", links.size());
    links.push_back(
        zone.create_link(name, link.bandwidth.value() * scale)->set_latency(0.0)->seal());
  }
  return links;
}

/// One zone with a route of its own between any two hosts: n hosts serve n(n-1) flows. (A pair of
/// hosts a flow would cost quadratic time: SimGrid searches all hosts when it adds one.)
std::vector<Endpoints> build_platform(const FluidNetwork& network, double scale) {
  auto* zone = s4u::create_full_zone("network");
  const std::vector<s4u::Link*> links = create_links(*zone, network, scale);
  std::size_t host_count = 2;
  while (host_count * (host_count - 1) < network.flows.size()) {
    ++host_count;
  }
  std::vector<s4u::Host*> hosts;
  for (std::size_t i = 0; i < host_count; ++i) {
    hosts.push_back(zone->create_host(fmt::format("host{}", i), 1.0)->seal());
  }
  std::vector<Endpoints> endpoints;
  for (const FluidFlow& flow : network.flows) {
    const std::size_t from = endpoints.size() / (host_count - 1);
    const std::size_t to = endpoints.size() % (host_count - 1);
    endpoints.push_back({hosts[from], hosts[to < from ? to : to + 1]});
    std::vector<s4u::LinkInRoute> route;
    for (const FluidShare& share : flow.shares) {
      route.insert(route.end(), static_cast<std::size_t>(share.weight),
                   s4u::LinkInRoute(links[static_cast<std::size_t>(share.link)]));
    }
    zone->add_route(endpoints.back().source->get_netpoint(),
                    endpoints.back().destination->get_netpoint(), nullptr, nullptr, route, false);
  }
  zone->seal();
  return endpoints;
}

}  // namespace

class SimgridSession::Simulation {
 public:
  Simulation(const FluidNetwork& network, Bytes largest_volume, Handlers handlers)
      : handlers_(std::move(handlers)),
        scale_(volume_scale(largest_volume.value())),
        engine_(make_engine()) {
    configure();
    endpoints_ = build_platform(network, scale_);
#if SIMGRID_VERSION >= 33400
    s4u::Comm::on_completion_cb([this](const s4u::Comm& comm) { end_flow(comm); });
#else
    s4u::Activity::on_completion_cb([this](const s4u::Activity& comm) { end_flow(comm); });
#endif
  }

  ~Simulation() {
    // Only after a failure is a flow still under way; SimGrid does not survive its release.
    for (Flight& flight : flights_) {
      (void)flight.comm.detach();
    }
  }
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  void set_alarm(double date, Tag tag) {
    ++pending_;
    Timer::set(date, [this, tag] {
      pace();
      handlers_.alarm(tag);
      --pending_;
    });
  }

  void start_flow(std::int32_t flow, double volume, Tag tag) {
    ++pending_;
    const Endpoints& ends = endpoints_[static_cast<std::size_t>(flow)];
    std::size_t slot = flights_.size();
    if (free_slots_.empty()) {
      flights_.emplace_back();
    } else {
      slot = free_slots_.back();
      free_slots_.pop_back();
    }
    s4u::CommPtr comm = s4u::Comm::sendto_init(ends.source, ends.destination);
    comm->set_payload_size(static_cast<std::uint64_t>(std::max(1.0, std::round(volume * scale_))));
    flights_[slot] = {comm, tag};
    slot_of_.emplace(comm.get(), slot);
#if SIMGRID_VERSION >= 33400
    comm->start();
#else
    comm->vetoable_start();
#endif
  }

  void run() {
    engine_->run();
    retired_.reset();
  }

 private:
  struct Flight {
    s4u::CommPtr comm;
    Tag tag = 0;
  };

  void end_flow(const s4u::Activity& activity) {
    const auto entry = slot_of_.find(&activity);
    if (entry == slot_of_.end()) {
      return;
    }
    const std::size_t slot = entry->second;
    slot_of_.erase(entry);
    // SimGrid still uses a communication after this callback: the reference lives until the next.
    retired_ = std::exchange(flights_[slot].comm, nullptr);
    free_slots_.push_back(slot);
    pace();
    handlers_.flow_end(flights_[slot].tag);
    --pending_;
  }

  /// Keeps a pacing timer ahead while anything is under way.
  void pace() {
    const double clock = s4u::Engine::get_clock();
    if (!pacing_ && clock > 0.0) {
      pacing_ = true;
      Timer::set(2.0 * clock, [this] {
        pacing_ = false;
        if (pending_ > 0) {
          pace();
        }
      });
    }
  }

  Handlers handlers_;
  double scale_;  ///< SimGrid bytes per byte
  std::unique_ptr<s4u::Engine> engine_;
  std::vector<Endpoints> endpoints_;
  std::vector<Flight> flights_;
  std::vector<std::size_t> free_slots_;
  std::unordered_map<const s4u::Activity*, std::size_t> slot_of_;
  s4u::CommPtr retired_;
  std::int64_t pending_ = 0;
  bool pacing_ = false;
};

SimgridSession::SimgridSession(const FluidNetwork& network, Bytes largest_volume,
                               Handlers handlers) {
  static bool used = false;  // mirrors SimGrid's own global clock
  SIM_CHECK(!used, "one SimGrid session a process");
  used = true;
  simulation_ = std::make_unique<Simulation>(network, largest_volume, std::move(handlers));
}

SimgridSession::~SimgridSession() = default;

Seconds SimgridSession::now() const {
  return Seconds{s4u::Engine::get_clock()};
}

void SimgridSession::set_alarm(Seconds date, Tag tag) {
  simulation_->set_alarm(date.value(), tag);
}

void SimgridSession::start_flow(std::int32_t flow, Bytes volume, Tag tag) {
  simulation_->start_flow(flow, volume.value(), tag);
}

void SimgridSession::run() {
  simulation_->run();
}

const char* simgrid_version() {
  static const std::string version = [] {
    int major = 0;
    int minor = 0;
    int patch = 0;
    sg_version_get(&major, &minor, &patch);
    return patch == 0 ? fmt::format("{}.{}", major, minor)
                      : fmt::format("{}.{}.{}", major, minor, patch);
  }();
  return version.c_str();
}

}  // namespace parsim
