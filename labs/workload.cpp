#include "labs/workload.h"

#include <algorithm>

#include "common/record/params.h"

namespace ridge {
namespace {

constexpr int64_t kMostExtent = int64_t{1}
                                << 20;  // of a description in a file: no product of two overflows

constexpr ptrdiff_t kAttentionAt = 1;  // among the parts: behind the product that makes its queries

constexpr const char* kLeftOut =
    "Only products and attention are in it: norms, rotations, activations and the tokens' look-up "
    "add to a real "
    "model's time.";

double size_named(const Params& params, const char* name) {
  return static_cast<double>(param_int(params, name, 1));
}

std::string text(const Params& params, const char* name) {
  return std::to_string(param_int(params, name, 1));
}

double part_flop(const Params& of) {
  return 2 * size_named(of, "m") * size_named(of, "n") * size_named(of, "k");
}

double product_bytes(const Params& of, double element_bytes) {
  const double m = size_named(of, "m"), n = size_named(of, "n"), k = size_named(of, "k");
  return element_bytes * (m * k + k * n + m * n);
}

std::string product_shape(const Params& of) {
  const std::string k = text(of, "k");
  return text(of, "m") + " × " + k + " · " + k + " × " + text(of, "n");
}

constexpr WorkloadCall kProduct = {part_flop, product_bytes, product_shape};

/// `queries` of each sequence, and as many keys as `keys` says; Q and O, K and V cross the bus once.
double attention_bytes(const Params& of, double element_bytes, const char* keys, double queries) {
  return 2 * element_bytes * size_named(of, "batch") * size_named(of, "d") *
         (size_named(of, "heads_kv") * size_named(of, keys) + size_named(of, "heads") * queries);
}

std::string attention_shape(const Params& of, const char* keys) {
  return text(of, "batch") + " × " + text(of, "heads") + " heads of " + text(of, "d") + ", " +
         text(of, keys) + " keys";
}

double all_heads(const Params& of) {
  return size_named(of, "batch") * size_named(of, "heads") * size_named(of, "d");
}

constexpr WorkloadCall kAttention = {
    [](const Params& of) {
      const double all =
          4 * all_heads(of) * size_named(of, "sequence") * size_named(of, "sequence");
      return param_text(of, "causal") == "yes" ? all / 2 : all;
    },
    [](const Params& of, double element_bytes) {
      return attention_bytes(of, element_bytes, "sequence", size_named(of, "sequence"));
    },
    [](const Params& of) { return attention_shape(of, "sequence"); }};

constexpr WorkloadCall kDecodeStep = {
    [](const Params& of) { return 4 * all_heads(of) * size_named(of, "length"); },
    [](const Params& of, double element_bytes) {
      return attention_bytes(of, element_bytes, "length", 1);
    },
    [](const Params& of) { return attention_shape(of, "length"); }};

/// Bits of a weight; int4 has a scale of 16 bits for 128.
double weight_bits(const Params& of) {
  const std::string type = param_text(of, "dtype", "fp32");
  if (type == "int4") return 4.125;
  return type == "fp32" ? 32 : type == "bf16" ? 16 : 8;
}

/// A product with few rows, as the gemv family has it.
constexpr WorkloadCall kFewRows = {
    [](const Params& of) {
      return 2 * size_named(of, "batch") * size_named(of, "n") * size_named(of, "k");
    },
    [](const Params& of, double) {
      return size_named(of, "n") * size_named(of, "k") * weight_bits(of) / 8 +
             2 * size_named(of, "batch") * (size_named(of, "n") + size_named(of, "k"));
    },
    [](const Params& of) {
      const std::string k = text(of, "k");
      return text(of, "batch") + " × " + k + " · " + k + " × " + text(of, "n");
    },
    "batch"};

/// The same part by a rung for few rows. As many copies of the weights as no cache holds: 256 MiB.
WorkloadPart for_few_rows(WorkloadPart part, const std::string& dtype, const std::string& kernel) {
  const Params old = part.params;
  part.call = &kFewRows;
  part.kernel = kernel;
  part.params = {{"batch", param_int(old, "m")},
                 {"n", param_int(old, "n")},
                 {"k", param_int(old, "k")},
                 {"dtype", dtype}};
  const double bytes = size_named(old, "n") * size_named(old, "k") * weight_bits(part.params) / 8;
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
    part.kernel = decode_attention(shape.gpu).front();
    part.params["length"] = shape.prompt;
  } else {
    part.title = "attention, causal";
    part.note = "All queries of a sequence against what came before them.";
    part.kernel = prefill_attention(shape.gpu).front();
    part.params["sequence"] = shape.prompt, part.params["causal"] = std::string("yes");
  }
  return part;
}

Workload decode_of(const ModelShape& shape, std::vector<WorkloadPart> products) {
  Workload decode{
      .id = "decode", .title = "Decode: one token more for each sequence", .note = kLeftOut};
  decode.parts = std::move(products);
  decode.parts.insert(decode.parts.begin() + kAttentionAt, attention(shape, true));
  decode.tokens = double(shape.batch);
  return decode;
}

/// The type of everything whose weights are not quantised.
ModelShape with_plain_type(ModelShape shape) {
  shape.dtype = shape.gpu ? "bf16" : "fp32";
  return shape;
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

const std::vector<DecodeType>& decode_types() {
  static const std::vector<DecodeType> types = {
      {"fp32", "fp32", {"gemv.cpu.avx512_fp32", "gemv.cpu.avx2_fp32", "gemv.cpu.plain"}, {}},
      {"bf16",
       "bf16",
       {"gemv.cpu.avx512_bf16", "gemv.cpu.plain"},
       {"gemv.cuda.block_ring_bf16", "gemv.cuda.warp_rings_bf16", "gemv.cuda.vectors_bf16"}},
      {"fp8",
       "fp8, e4m3",
       {},
       {"gemv.cuda.block_ring_fp8", "gemv.cuda.warp_rings_fp8", "gemv.cuda.vectors_fp8"}},
      {"int8",
       "int8",
       {"gemv.cpu.avx512_int8", "gemv.cpu.avx2_int8", "gemv.cpu.plain"},
       {"gemv.cuda.block_ring_int8", "gemv.cuda.warp_rings_int8", "gemv.cuda.vectors_int8"}},
      {"w8a8",
       "int8 × int8",
       {"gemv.cpu.avx512_vnni"},
       {"gemv.cuda.block_ring_w8a8", "gemv.cuda.warp_rings_w8a8", "gemv.cuda.dp4a"}},
      {"int4",
       "int4, a scale for 128",
       {"gemv.cpu.avx512_int4", "gemv.cpu.avx2_int4", "gemv.cpu.plain"},
       {"gemv.cuda.block_ring_int4", "gemv.cuda.warp_rings_int4", "gemv.cuda.vectors_int4"}}};
  return types;
}

const DecodeType* find_decode_type(std::string_view dtype) {
  for (const DecodeType& type : decode_types()) {
    if (type.dtype == dtype) return &type;
  }
  return nullptr;
}

const std::vector<const char*>& decode_attention(bool gpu) {
  static const std::vector<const char*> cpu = {"decode.cpu.split", "decode.cpu.plain"};
  static const std::vector<const char*> cuda = {"decode.cuda.balanced", "decode.cuda.split",
                                                "decode.cuda.naive"};
  return gpu ? cuda : cpu;
}

const std::vector<const char*>& prefill_attention(bool gpu) {
  static const std::vector<const char*> cpu = {"attention.cpu.threads", "attention.cpu.online"};
  static const std::vector<const char*> cuda = {"attention.cuda.persistent",
                                                "attention.cuda.mma_sync", "attention.cuda.online"};
  return gpu ? cuda : cpu;
}

Workload decode_workload(const ModelShape& asked, const std::string& dtype,
                         const std::string& kernel, const std::string& attention_kernel) {
  const ModelShape shape = with_plain_type(asked);
  std::vector<WorkloadPart> parts = layer_products(shape, shape.batch);
  for (WorkloadPart& part : parts) part = for_few_rows(part, dtype, kernel);
  Workload decode = decode_of(shape, std::move(parts));
  decode.parts[kAttentionAt].kernel = attention_kernel;
  return decode;
}

bool takes_few_rows(const ModelShape& shape) {
  const DecodeType* type = find_decode_type(shape.dtype);
  constexpr int64_t kMostRows = 16, kWidth = 128;
  const bool has_rung = type && !(shape.gpu ? type->gpu : type->cpu).empty();
  const bool fits = shape.heads * shape.d % kWidth == 0 && shape.inner % kWidth == 0;
  return has_rung && fits && (!shape.gpu || shape.batch <= kMostRows);
}

std::vector<Workload> model_workloads(const ModelShape& asked, const ModelRungs& rungs) {
  // Of these the weights alone have the type, where decoding is bound by their bytes; all else stays as it
  // is.
  const DecodeType* type = find_decode_type(asked.dtype);
  const bool fewer_bits = type && asked.dtype != "fp32" && asked.dtype != "bf16";
  const ModelShape shape = fewer_bits ? with_plain_type(asked) : asked;
  Workload prefill{.id = "prefill", .title = "Prefill: the prompts are read", .note = kLeftOut};
  prefill.parts = layer_products(shape, shape.batch * shape.prompt);
  prefill.parts.insert(prefill.parts.begin() + kAttentionAt, attention(shape, false));
  if (!rungs.prefill_attention.empty())
    prefill.parts[kAttentionAt].kernel = rungs.prefill_attention;
  prefill.tokens = double(shape.batch * shape.prompt);
  if (!fewer_bits && !takes_few_rows(asked))
    return {prefill, decode_of(shape, layer_products(shape, shape.batch))};
  // A CPU has no rung for fp8: the GPU's says so.
  const auto& kernels = asked.gpu || type->cpu.empty() ? type->gpu : type->cpu;
  return {prefill,
          decode_workload(
              asked, asked.dtype, rungs.products.empty() ? kernels.front() : rungs.products,
              rungs.attention.empty() ? decode_attention(asked.gpu).front() : rungs.attention)};
}

Params to_params(const ModelShape& shape) {
  return {{"layers", shape.layers},
          {"heads", shape.heads},
          {"heads_kv", shape.heads_kv},
          {"d", shape.d},
          {"inner", shape.inner},
          {"vocabulary", shape.vocabulary},
          {"prompt", shape.prompt},
          {"batch", shape.batch},
          {"processor", std::string(shape.gpu ? "gpu" : "cpu")}};
}

ModelShape model_shape(const Params& params) {
  ModelShape shape;
  const std::pair<const char*, int64_t*> numbers[] = {
      {"layers", &shape.layers}, {"heads", &shape.heads}, {"heads_kv", &shape.heads_kv},
      {"d", &shape.d},           {"inner", &shape.inner}, {"vocabulary", &shape.vocabulary},
      {"prompt", &shape.prompt}, {"batch", &shape.batch}};
  for (const auto& [name, value] : numbers)
    *value = std::clamp<int64_t>(param_int(params, name, *value), 1, kMostExtent);
  shape.gpu = param_text(params, "processor") == "gpu";
  return shape;
}

}  // namespace ridge
