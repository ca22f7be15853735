// The Python of JAX's GEMM peer.
#pragma once

namespace ridge {

/// A call is a dispatch from Python, which returns before the product is there. Several products of the same operands in
/// one program would be one: XLA shares them, optimization_barrier or not. fp32 stays fp32; tf32's B lies n x k. Sums of
/// 16-bit products are asked for in fp32: with a single row XLA otherwise adds them in their own type.
inline constexpr const char* kJaxGemm = R"py(
import os
os.environ['XLA_PYTHON_CLIENT_PREALLOCATE'] = 'false'
import jax
import jax.numpy as jnp

device = int(os.environ['RIDGE_PEER_DEVICE'])
place = jax.devices('cpu')[0] if device < 0 else jax.devices('gpu')[device]
types = {'fp32': jnp.float32, 'tf32': jnp.float32, 'bf16': jnp.bfloat16, 'fp16': jnp.float16}
precisions = {'fp32': 'highest', 'tf32': 'tensorfloat32'}

class Product:
    def __init__(self, dtype, m, n, k):
        self.type, tf32 = types[dtype], dtype == 'tf32'
        self.shapes = [(m, k), (n, k) if tf32 else (k, n)]
        self.operands = [jax.device_put(jnp.ones(s, self.type), place) for s in self.shapes]

        def multiply(a, b):
            product = jnp.matmul(a, b.T if tf32 else b, precision=precisions.get(dtype),
                                 preferred_element_type=jnp.float32)
            return product.astype(self.type)

        self.multiply = jax.jit(multiply)
        self.call()
        self.finish()

    def load(self, i, memory):
        if i < 2:
            array = jnp.frombuffer(memory, dtype=self.type).reshape(self.shapes[i])
            self.operands[i] = jax.device_put(array, place)

    def store(self, i, memory):
        memory[:] = self.result.tobytes()

    def call(self):
        self.result = self.multiply(*self.operands)

    def finish(self):
        self.result.block_until_ready()

make = Product
)py";

}  // namespace ridge
