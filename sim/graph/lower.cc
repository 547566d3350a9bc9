// Lowering: every rank class gets the program of its representative (A4, A16 to A21, A23).

#include "sim/graph/lower.h"

#include "sim/graph/rank_program.h"

namespace parsim {

namespace {

/// The host's work to launch one action, as an operator on the compute lane.
Operator launch_operator(Seconds time) {
  Operator op;
  op.name = "action launch";
  op.op_class = OperatorClass::launch;
  op.given_time = time;
  return op;
}

}  // namespace

TaskGraph lower(const LowerInput& input) {
  TaskGraphBuilder builder;
  for (const GraphLink& link : input.folding.links) {
    builder.add_link(link);
  }
  LoweringState state{input,
                      builder,
                      with_transfers(input.plan.schedule),
                      PatternTable(input, builder),
                      SegmentTable(input.costs, builder),
                      {},
                      {},
                      {},
                      {}};
  const Operator launch = launch_operator(input.scenario.schedule.action_overhead);
  if (Seconds{0.0} < input.scenario.schedule.action_overhead) {
    state.overhead = state.segments.segment({&launch});
  }
  state.issued.resize(input.folding.communicator_representative.size());
  for (std::size_t c = 0; c < input.folding.representative.size(); ++c) {
    RankProgram(state, static_cast<std::int32_t>(c)).write();
  }
  return builder.build();
}

}  // namespace parsim
