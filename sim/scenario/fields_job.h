#pragma once

#include "sim/scenario/field.h"
#include "sim/scenario/fields_cluster.h"
#include "sim/scenario/fields_model.h"

/// Field tables of the job: layout, schedule, batch, training, costs, and the scenario itself.
namespace parsim {

inline TableTitle title_of(const Parallel&) {
  return {"parallel", "How the job is split: data x tensor x pipeline = devices."};
}
template <class Visitor>
void describe(Visitor& visit, Parallel& parallel) {
  visit.field({.key = "data", .doc = "replicas", .most = kMostRanks}, parallel.data);
  visit.field({.key = "tensor", .doc = "ranks that share each layer", .most = kMostRanks},
              parallel.tensor);
  visit.field({.key = "pipeline", .doc = "ranks that share the layers", .most = kMostRanks},
              parallel.pipeline);
  visit.field({.key = "sequence_parallel",
               .doc = "Megatron sequence parallelism: all-gather and reduce-scatter instead of "
                      "all-reduce"},
              parallel.sequence_parallel);
  visit.field({.key = "order", .doc = "axes on the machine, the fastest-varying one first"},
              parallel.order);
  visit.field({.key = "scatter_gather_p2p",
               .doc = "stage boundaries send 1/tensor per rank, then all-gather in the node"},
              parallel.scatter_gather_p2p);
  visit.field({.key = "overlap_tensor_gradient",
               .doc = "the input gradient's all-reduce runs beside the weight-gradient product"},
              parallel.overlap_tensor_gradient);
}

inline TableTitle title_of(const StageFactors&) {
  return {"stage_factors", "What multiplies the modelled time of a stage's computation."};
}
template <class Visitor>
void describe(Visitor& visit, StageFactors& factors) {
  visit.field({.key = "forward", .doc = "F", .low = 0.0, .high = 1000.0}, factors.forward);
  visit.field({.key = "input_gradient",
               .doc = "I, and what B does besides weight gradients",
               .low = 0.0,
               .high = 1000.0},
              factors.input_gradient);
  visit.field({.key = "weight_gradient",
               .doc = "W, and the weight gradients in B",
               .low = 0.0,
               .high = 1000.0},
              factors.weight_gradient);
}

inline TableTitle title_of(const ScheduleSpec&) {
  return {"schedule", "In which order a pipeline rank works on its micro-batches."};
}
template <class Visitor>
void describe(Visitor& visit, ScheduleSpec& schedule) {
  visit.field({.key = "name",
               .doc = "see docs/schedules.md; auto: found from the stages' times and the memory; "
                      "explicit: `orders` or `file` says it"},
              schedule.name);
  visit.field(
      {.key = "chunks",
       .doc = "stages per pipeline rank, as many as the schedule allows (docs/schedules.md)",
       .most = kMostLayers},
      schedule.chunks);
  visit.field({.key = "group",
               .doc = "interleaved-1f1b: micro-batches per round, from pipeline to the number of "
                      "micro-batches",
               .most = kLargestBatch,
               .default_text = "the pipeline size"},
              schedule.group);
  visit.field({.key = "layers_per_stage",
               .doc = "layers of each stage, in stage order",
               .most = kMostLayers,
               .default_text = "even"},
              schedule.layers_per_stage);
  visit.field(
      {.key = "forward_only", .doc = "no backward pass, no gradient reduction, no optimizer step"},
      schedule.forward_only);
  visit.field({.key = "orders",
               .doc = "explicit: per pipeline rank, its actions such as \"0F1\" (stage 0, forward, "
                      "micro-batch 1)",
               .default_text = "none",
               .item_pattern = "^([0-9]+((SEND_|RECV_)?[FB]|I|W)[0-9]+|"
                               "[0-9]+(UNSHARD|RESHARD|REDUCE_GRAD)|"
                               "\\([0-9]+[FBIW][0-9]+(;[0-9]+[FBIW][0-9]+)+\\)OVERLAP_F_B)?$"},
              schedule.orders);
  visit.field({.key = "file",
               .doc = "explicit: a CSV file of PyTorch's to read `orders` from, beside this file",
               .default_text = "none"},
              schedule.file);
  visit.field({.key = "slices",
               .doc = "seq1f1b: parts into which each sample's sequence is cut",
               .most = kMostLayers},
              schedule.slices);
  visit.field({.key = "in_flight_limit",
               .doc = "auto: stages times micro-batches a rank may hold activations of",
               .most = kLargestBatch,
               .default_text = "what the device's memory holds"},
              schedule.in_flight_limit);
  visit.field({.key = "transfers",
               .doc = "eager: a message leaves once made and only its consumer waits; posted: it "
                      "also waits for the receive in program order; batched: the transfers between "
                      "two computations are one batch that both ranks wait for; blocking: each is "
                      "waited for by both"},
              schedule.transfers);
  visit.field({.key = "pair_time",
               .doc = "computation of an overlapped forward and backward over the sum of the two",
               .high = 10.0},
              schedule.pair_time);
  visit.field(
      {.key = "action_overhead", .doc = "time the host takes to launch one action; added to each"},
      schedule.action_overhead);
  visit.field({.key = "stage_factors",
               .doc = "factors on the modelled times: one entry for all stages, or one a stage",
               .default_text = "1"},
              schedule.stage_factors);
}

inline TableTitle title_of(const Batch&) {
  return {"batch", "How much one step works on."};
}
template <class Visitor>
void describe(Visitor& visit, Batch& batch) {
  visit.field({.key = "global",
               .doc = "samples (sequences) per step, over all replicas",
               .required = true,
               .most = kLargestBatch},
              batch.global);
  visit.field({.key = "micro", .doc = "samples per micro-batch and replica", .most = kLargestBatch},
              batch.micro);
  visit.field({.key = "sequence",
               .doc = "tokens per sample; needed for transformers",
               .most = kLargestWidth,
               .default_text = "none"},
              batch.sequence);
}

inline TableTitle title_of(const Training&) {
  return {"training", "Precisions, recomputation, optimizer and gradient reduction."};
}
template <class Visitor>
void describe(Visitor& visit, Training& training) {
  visit.field({.key = "precision", .doc = "of matrix products, weights and activations"},
              training.precision);
  visit.field({.key = "gradient_precision", .doc = "of the accumulated and reduced gradients"},
              training.gradient_precision);
  visit.field({.key = "recompute",
               .doc = "activations computed again in the backward pass: none, those of attention, "
                      "or all"},
              training.recompute);
  visit.field({.key = "attention", .doc = "one fused kernel, or products, softmax and dropout"},
              training.attention);
  visit.field({.key = "optimizer", .doc = "optimizer step"}, training.optimizer);
  visit.field({.key = "gradient_reduction", .doc = "how replicas combine their gradients"},
              training.gradient_reduction);
  visit.field({.key = "gradient_norm",
               .doc = "all pipeline ranks combine their gradient norms: not at all, before the "
                      "optimizer step, or after it (the step is undone if need be)"},
              training.gradient_norm);
  visit.field({.key = "overlap_gradient_reduction",
               .doc = "buckets are reduced as the last backward pass fills them"},
              training.overlap_gradient_reduction);
  visit.field(
      {.key = "bucket", .doc = "gradient bytes per bucket when overlapped", .positive = true},
      training.bucket);
}

inline TableTitle title_of(const Costs&) {
  return {"costs", "Changes to the cost model; what is left out is the device's own."};
}
template <class Visitor>
void describe(Visitor& visit, Costs& costs) {
  visit.field({.key = "free_communication", .doc = "transfers and collectives take no time"},
              costs.free_communication);
  visit.field({.key = "launch_overhead",
               .doc = "replaces the device's launch_overhead",
               .default_text = "the device's"},
              costs.launch_overhead);
  visit.field({.key = "gemm_efficiency",
               .doc = "replaces the device's efficiency.gemm",
               .default_text = "the device's"},
              costs.gemm_efficiency);
  visit.field({.key = "batched_gemm_efficiency",
               .doc = "replaces the device's efficiency.batched_gemm",
               .default_text = "the device's"},
              costs.batched_gemm_efficiency);
  visit.field({.key = "attention_efficiency",
               .doc = "replaces the device's efficiency.attention",
               .default_text = "the device's"},
              costs.attention_efficiency);
  visit.field({.key = "memory_efficiency",
               .doc = "replaces the device's efficiency.memory",
               .default_text = "the device's"},
              costs.memory_efficiency);
}

inline TableTitle title_of(const Scenario&) {
  return {"scenario", "One training step of one job on one machine."};
}
template <class Visitor>
void describe(Visitor& visit, Scenario& scenario) {
  visit.field({.key = "name", .doc = "name in reports", .default_text = "the name of its file"},
              scenario.name);
  visit.field({.key = "description", .doc = "for people", .default_text = "empty"},
              scenario.description);
  visit.field({.key = "model",
               .doc = "what is trained, or its name",
               .required = true,
               .folder = "networks"},
              scenario.model);
  visit.field(
      {.key = "cluster", .doc = "the machine: device, node, fabric, nodes", .required = true},
      scenario.cluster);
  visit.field({.key = "parallel", .doc = "the layout"}, scenario.parallel);
  visit.field({.key = "schedule", .doc = "the pipeline schedule"}, scenario.schedule);
  visit.field({.key = "batch",
               .doc = "how much one step works on: global, micro, sequence",
               .required = true},
              scenario.batch);
  visit.field({.key = "training", .doc = "how it is trained"}, scenario.training);
  visit.field({.key = "costs", .doc = "changes to the cost model"}, scenario.costs);
}

}  // namespace parsim
