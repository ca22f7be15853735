// A LUT-6 as a circuit of three-input operations, found for its table: at most 8 functions of three
// inputs and 7 multiplexers, fewer where parts of the table agree up to complement or where the order of
// the inputs is chosen well.
//
// Source: Shannon expansion with shared cofactors, as in a decision diagram with complement edges (Brace,
// Rudell and Bryant, DAC 1990), over 3-input leaves because vpternlog and LOP3 take any of them.
#pragma once

#include <cstdint>
#include <vector>

namespace ridge::weightless {

/// value = function(a, b, c): bit (4 a + 2 b + c) of `function`, as vpternlog's immediate and LOP3's.
struct TernaryOp {
  int a, b, c;  ///< 0 to 5: an input; 6 and up: the result of operation number - 6
  uint8_t function;
};

struct LutCircuit {
  std::vector<TernaryOp> ops;
  /// The output: an input or a result as in TernaryOp, -1 for constant 0, -2 for constant 1. It is never
  /// complemented: the last operation takes that in, or one is added.
  int output = -1;
};

/// The circuit of the fewest operations over all ways to choose and order the inputs.
LutCircuit make_circuit(uint64_t table);
/// What the circuit computes, as a table: for tests.
uint64_t circuit_table(const LutCircuit& circuit);

}  // namespace ridge::weightless
