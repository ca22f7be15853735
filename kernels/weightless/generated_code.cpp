#include "kernels/weightless/generated_code.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "common/core/parallel.h"
#include "kernels/weightless/lut_circuit.h"

namespace ridge {
namespace {

using weightless::LutCircuit;
using weightless::TernaryOp;

/// The three instructions it takes, in 512-bit EVEX encoding (Intel SDM volume 2, 2.7).
class Assembler {
 public:
  static constexpr int kPlanes = 7, kOut = 6;  // rdi, rsi: the two arguments of the System V ABI

  void load(int to, int base, int32_t offset) { memory(0x6f, to, base, offset); }
  void store(int from, int base, int32_t offset) { memory(0x7f, from, base, offset); }
  void move(int to, int from) { registers(kMap0f, kF3, to, 0, from, 0x6f); }
  /// to = function(to, b, c)
  void ternary(int to, int b, int c, uint8_t function) {
    registers(kMap0f3a, k66, to, b, c, 0x25);
    code.push_back(function);
  }
  void ret() { code.push_back(0xc3); }
  void align() {
    while (code.size() % 64 != 0) code.push_back(0xcc);
  }

  std::vector<uint8_t> code;

 private:
  static constexpr int kMap0f = 1, kMap0f3a = 3, k66 = 1, kF3 = 2;

  /// The prefix keeps the high bits of the three register numbers, inverted.
  void prefix(int map, int pp, int reg, int vvvv, int rm) {
    const auto off = [](int number, int bit) { return (number >> bit & 1) == 0 ? 1 : 0; };
    code.push_back(0x62);
    code.push_back(static_cast<uint8_t>(off(reg, 3) << 7 | off(rm, 4) << 6 | off(rm, 3) << 5 |
                                        off(reg, 4) << 4 | map));
    code.push_back(static_cast<uint8_t>(0x80 | (~vvvv & 15) << 3 | 4 | pp));
    code.push_back(static_cast<uint8_t>(0x40 | off(vvvv, 4) << 3));
  }
  void registers(int map, int pp, int reg, int vvvv, int rm, uint8_t opcode) {
    prefix(map, pp, reg, vvvv, rm);
    code.push_back(opcode);
    code.push_back(static_cast<uint8_t>(0xc0 | (reg & 7) << 3 | (rm & 7)));
  }
  /// One byte of offset counts in vectors of 64 bytes.
  void memory(uint8_t opcode, int reg, int base, int32_t offset) {
    prefix(kMap0f, kF3, reg, 0, base);
    code.push_back(opcode);
    const bool is_short = offset / 64 < 128;
    code.push_back(static_cast<uint8_t>((is_short ? 0x40 : 0x80) | (reg & 7) << 3 | base));
    if (is_short) return code.push_back(static_cast<uint8_t>(offset / 64));
    for (int i = 0; i < 4; ++i) code.push_back(static_cast<uint8_t>(offset >> (8 * i)));
  }
};

/// `function` with operand `first` (0 to 2) changed places with operand 0.
uint8_t swapped(uint8_t function, int first) {
  uint8_t result = 0;
  for (int i = 0; i < 8; ++i) {
    std::array<int, 3> bit = {i >> 2 & 1, i >> 1 & 1, i & 1};
    std::swap(bit[0], bit[static_cast<size_t>(first)]);
    const int from = bit[0] << 2 | bit[1] << 1 | bit[2];
    result = static_cast<uint8_t>(result | (function >> from & 1) << i);
  }
  return result;
}

/// Inputs in zmm0 to 5, results in the registers after them; a result that nobody reads again gives its
/// register to the operation that reads it last, since vpternlog overwrites an operand.
class LutWriter {
 public:
  LutWriter(Assembler* to, const LutCircuit& circuit) : to_(to), circuit_(circuit) {
    last_.fill(-1);
    for (size_t i = 0; i < circuit.ops.size(); ++i) {
      const TernaryOp& op = circuit.ops[i];
      for (const int node : {op.a, op.b, op.c})
        last_[static_cast<size_t>(node)] = static_cast<int>(i);
    }
    if (circuit.output >= 0) last_[static_cast<size_t>(circuit.output)] = 1000;
  }

  void write(const uint16_t* pins, int32_t out_offset) {
    for (size_t p = 0; p < kLutInputs; ++p) {
      place_[p] = static_cast<int>(p);
      if (last_[p] >= 0) to_->load(place_[p], Assembler::kPlanes, pins[p] * kTileWords * 8);
    }
    for (size_t i = 0; i < circuit_.ops.size(); ++i) operation(static_cast<int>(i));
    int from = kLutInputs;
    if (circuit_.output >= 0) {
      from = place_[static_cast<size_t>(circuit_.output)];
    } else {
      to_->ternary(from, from, from, circuit_.output == -2 ? 0xff : 0);
    }
    to_->store(from, Assembler::kOut, out_offset);
  }

 private:
  void operation(int i) {
    const TernaryOp& op = circuit_.ops[static_cast<size_t>(i)];
    std::array<int, 3> operand = {op.a, op.b, op.c};
    uint8_t function = op.function;
    for (int k = 0; k < 3; ++k) {
      const int node = operand[static_cast<size_t>(k)];
      if (last_[static_cast<size_t>(node)] != i) continue;
      std::swap(operand[0], operand[static_cast<size_t>(k)]);
      if (k > 0) function = swapped(function, k);
      break;
    }
    const auto place = [&](int k) {
      return place_[static_cast<size_t>(operand[static_cast<size_t>(k)])];
    };
    const int node = kLutInputs + i;
    int target = place(0);
    if (last_[static_cast<size_t>(operand[0])] != i) {
      target = node;
      to_->move(target, place(0));
    }
    to_->ternary(target, place(1), place(2), function);
    place_[static_cast<size_t>(node)] = target;
  }

  Assembler* to_;
  const LutCircuit& circuit_;
  std::array<int, 32> last_{}, place_{};
};

/// Where each group begins in the code.
std::vector<size_t> write_groups(const LutModel& model, const std::vector<LutCircuit>& circuits,
                                 Assembler* to) {
  std::vector<size_t> starts;
  for (int c = 0; c < kImageClasses; ++c) {
    for (int j = 0; j < model.luts_per_class; j += 8) {
      to->align();
      starts.push_back(to->code.size());
      for (int i = 0; i < 8; ++i) {
        static const LutCircuit kZero;
        const bool real = j + i < model.luts_per_class;
        const int64_t lut = c * model.luts_per_class + j + i;
        LutWriter writer(to, real ? circuits[static_cast<size_t>(lut)] : kZero);
        writer.write(real ? model.wiring + lut * kLutInputs : nullptr, i * 64);
      }
      to->ret();
    }
  }
  return starts;
}

GeneratedCode* refused(GeneratedCode* code, const char* reason) {
  code->reason = reason;
  return code;
}

}  // namespace

GeneratedCode* generate_code(const LutModel* model) {
  auto* out = new GeneratedCode{};
  if (std::getenv("RIDGE_NO_GENERATED_CODE") != nullptr) {
    return refused(out, "RIDGE_NO_GENERATED_CODE is set");
  }
  std::vector<LutCircuit> circuits(static_cast<size_t>(model->luts));
  parallel_for(model->luts, 100, [&](int64_t begin, int64_t end) {
    for (int64_t j = begin; j < end; ++j) {
      circuits[static_cast<size_t>(j)] = weightless::make_circuit(model->tables[j]);
    }
  });
  for (const LutCircuit& circuit : circuits)
    out->operations += static_cast<int>(circuit.ops.size());
  Assembler assembler;
  const std::vector<size_t> starts = write_groups(*model, circuits, &assembler);
  out->bytes = assembler.code.size();
  out->memory =
      ::mmap(nullptr, out->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (out->memory == MAP_FAILED) {
    out->memory = nullptr;
    return refused(out, "the system gave no memory for code");
  }
  std::memcpy(out->memory, assembler.code.data(), out->bytes);
  if (::mprotect(out->memory, out->bytes, PROT_READ | PROT_EXEC) != 0) {
    return refused(out, "the system refuses to make written memory executable");
  }
  out->groups = new EightLuts[starts.size()];
  for (size_t i = 0; i < starts.size(); ++i) {
    out->groups[i] = reinterpret_cast<EightLuts>(static_cast<char*>(out->memory) + starts[i]);
  }
  return out;
}

void free_code(void* code) {
  auto* generated = static_cast<GeneratedCode*>(code);
  if (generated->memory != nullptr) ::munmap(generated->memory, generated->bytes);
  delete[] generated->groups;
  delete generated;
}

}  // namespace ridge
