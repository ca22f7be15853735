#include "labs/workload.h"

#include <algorithm>

#include "common/record/params.h"

namespace ridge {
namespace {

double number(const Params& params, const char* name) {
  return static_cast<double>(param_int(params, name, 1));
}

std::string text(const Params& params, const char* name) {
  return std::to_string(param_int(params, name, 1));
}

double product_flop(const Params& of) {
  return 2 * number(of, "m") * number(of, "n") * number(of, "k");
}

double product_bytes(const Params& of, double element_bytes) {
  const double m = number(of, "m"), n = number(of, "n"), k = number(of, "k");
  return element_bytes * (m * k + k * n + m * n);
}

std::string product_shape(const Params& of) {
  const std::string k = text(of, "k");
  return text(of, "m") + " × " + k + " · " + k + " × " + text(of, "n");
}

constexpr WorkloadCall kProduct = {product_flop, product_bytes, product_shape};

/// `queries` of each sequence, and as many keys as `keys` says; Q and O, K and V cross the bus once.
double attention_bytes(const Params& of, double element_bytes, const char* keys, double queries) {
  return 2 * element_bytes * number(of, "batch") * number(of, "d") *
         (number(of, "heads_kv") * number(of, keys) + number(of, "heads") * queries);
}

std::string attention_shape(const Params& of, const char* keys) {
  return text(of, "batch") + " × " + text(of, "heads") + " heads of " + text(of, "d") + ", " +
         text(of, keys) + " keys";
}

double all_heads(const Params& of) {
  return number(of, "batch") * number(of, "heads") * number(of, "d");
}

constexpr WorkloadCall kAttention = {
    [](const Params& of) {
      const double all = 4 * all_heads(of) * number(of, "sequence") * number(of, "sequence");
      return param_text(of, "causal") == "yes" ? all / 2 : all;
    },
    [](const Params& of, double element_bytes) {
      return attention_bytes(of, element_bytes, "sequence", number(of, "sequence"));
    },
    [](const Params& of) { return attention_shape(of, "sequence"); }};

constexpr WorkloadCall kDecodeStep = {
    [](const Params& of) { return 4 * all_heads(of) * number(of, "length"); },
    [](const Params& of, double element_bytes) {
      return attention_bytes(of, element_bytes, "length", 1);
    },
    [](const Params& of) { return attention_shape(of, "length"); }};

/// Bits of a weight; int4 has a scale of 16 bits for 128.
double weight_bits(const Params& of) {
  const std::string type = param_text(of, "dtype", "fp32");
  if (type == "int4") return 4.125;
  return type == "int8" || type == "fp8" ? 8 : type == "bf16" ? 16 : 32;
}

/// A product with few rows, as the gemv family has it.
constexpr WorkloadCall kFewRows = {
    [](const Params& of) { return 2 * number(of, "batch") * number(of, "n") * number(of, "k"); },
    [](const Params& of, double) {
      return number(of, "n") * number(of, "k") * weight_bits(of) / 8 +
             2 * number(of, "batch") * (number(of, "n") + number(of, "k"));
    },
    [](const Params& of) {
      const std::string k = text(of, "k");
      return text(of, "batch") + " × " + k + " · " + k + " × " + text(of, "n");
    }};

/// The same part by a rung whose weights are quantised. As many copies of them as no cache holds: 256 MiB.
WorkloadPart quantised(WorkloadPart part, const ModelShape& shape) {
  const Params old = part.params;
  part.call = &kFewRows;
  part.kernel = (shape.gpu ? "gemv.cuda.block_ring_" : "gemv.cpu.avx512_") + shape.dtype;
  part.params = {{"batch", param_int(old, "m")},
                 {"n", param_int(old, "n")},
                 {"k", param_int(old, "k")},
                 {"dtype", shape.dtype}};
  const double bytes = number(old, "n") * number(old, "k") * weight_bits(part.params) / 8;
  part.params["copies"] = static_cast<int64_t>(std::clamp(0x1p28 / bytes + 1, 1.0, 8.0));
  return part;
}

/// Products of a transformer's layer, for `rows` tokens at once. `phase` names what a token is.
std::vector<WorkloadPart> layer_products(const ModelShape& shape, int64_t rows) {
  const int64_t width = shape.heads * shape.d, kv = shape.heads_kv * shape.d;
  std::vector<WorkloadPart> parts = {
      product("Q, K, V", "One product a layer: queries, and the keys and values of fewer heads.",
              rows, width + 2 * kv, width, shape.layers),
      product("output projection", "One a layer.", rows, width, width, shape.layers),
      product("FFN, gate and up", "Two a layer, to the inner width; as one product.", rows,
              2 * shape.inner, width, shape.layers),
      product("FFN, down", "One a layer, back again.", rows, width, shape.inner, shape.layers),
      product("vocabulary", "Once, for the last token of each sequence.", shape.batch,
              shape.vocabulary, width, 1)};
  for (WorkloadPart& part : parts) {
    part.kernel = shape.gpu ? "gemm.cuda.tuned" : "gemm.cpu.threads";
    part.params["dtype"] = shape.dtype;
  }
  return parts;
}

WorkloadPart attention(const ModelShape& shape, bool decode) {
  WorkloadPart part;
  part.calls = shape.layers;
  part.call = decode ? &kDecodeStep : &kAttention;
  part.params = {{"batch", shape.batch},
                 {"heads", shape.heads},
                 {"heads_kv", shape.heads_kv},
                 {"d", shape.d},
                 {"dtype", shape.dtype}};
  if (decode) {
    part.title = "attention, one query";
    part.note = "Each sequence's new query against all of its keys: the cache is read once.";
    part.kernel = shape.gpu ? "decode.cuda.balanced" : "decode.cpu.split";
    part.params["length"] = shape.prompt;
  } else {
    part.title = "attention, causal";
    part.note = "All queries of a sequence against what came before them.";
    part.kernel = shape.gpu ? "attention.cuda.persistent" : "attention.cpu.threads";
    part.params["sequence"] = shape.prompt, part.params["causal"] = std::string("yes");
  }
  return part;
}

}  // namespace

WorkloadPart product(std::string title, std::string note, int64_t m, int64_t n, int64_t k,
                     int64_t calls) {
  return {.title = std::move(title),
          .note = std::move(note),
          .kernel = "",
          .params = {{"m", m}, {"n", n}, {"k", k}},
          .calls = calls,
          .call = &kProduct};
}

std::vector<Workload> model_workloads(const ModelShape& asked) {
  // int8, fp8 and int4 are types of weights, where decoding is bound by their bytes; all else stays as it is.
  const bool fewer_bits = asked.dtype == "int8" || asked.dtype == "fp8" || asked.dtype == "int4";
  ModelShape shape = asked;
  if (fewer_bits) shape.dtype = asked.gpu ? "bf16" : "fp32";
  Workload prefill{
      .id = "prefill", .title = "Prefill: the prompts are read", .note = "", .parts = {}};
  prefill.parts = layer_products(shape, shape.batch * shape.prompt);
  prefill.parts.insert(prefill.parts.begin() + 1, attention(shape, false));
  prefill.tokens = double(shape.batch * shape.prompt);
  Workload decode{
      .id = "decode", .title = "Decode: one token more for each sequence", .note = "", .parts = {}};
  decode.parts = layer_products(shape, shape.batch);
  if (fewer_bits) {
    for (WorkloadPart& part : decode.parts) part = quantised(part, asked);
  }
  decode.parts.insert(decode.parts.begin() + 1, attention(shape, true));
  decode.tokens = double(shape.batch);
  prefill.note = decode.note =
      "Only products and attention are in it: norms, rotations, activations and the tokens' "
      "look-up add to a real "
      "model's time.";
  return {prefill, decode};
}

}  // namespace ridge
