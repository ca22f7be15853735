// The Python of JAX's GEMM peer.
#pragma once

namespace ridge {

/// n calls are programs of 20 products, whose operands wait for the product before (optimization_barrier), so that XLA
/// can neither share nor hoist them; it records them as a CUDA graph. Single ones for the rest. fp32 stays fp32; tf32
/// lies n x k.
inline constexpr const char* kJaxGemm = R"py(
import os
os.environ['XLA_PYTHON_CLIENT_PREALLOCATE'] = 'false'
import jax
import jax.numpy as jnp

device = int(os.environ['RIDGE_PEER_DEVICE'])
place = jax.devices('cpu')[0] if device < 0 else jax.devices('gpu')[device]
types = {'fp32': jnp.float32, 'tf32': jnp.float32, 'bf16': jnp.bfloat16, 'fp16': jnp.float16}
precisions = {'fp32': 'highest', 'tf32': 'tensorfloat32'}
TOGETHER = 20

class Product:
    def __init__(self, dtype, m, n, k):
        self.type, tf32 = types[dtype], dtype == 'tf32'
        self.shapes = [(m, k), (n, k) if tf32 else (k, n)]
        self.operands = [jax.device_put(jnp.ones(s, self.type), place) for s in self.shapes]

        def multiply(a, b):
            return jnp.matmul(a, b.T if tf32 else b, precision=precisions.get(dtype))

        def many(a, b):
            c = multiply(a, b)
            for _ in range(TOGETHER - 1):
                a, b, c = jax.lax.optimization_barrier((a, b, c))
                c = multiply(a, b)
            return c

        self.one, self.many = jax.jit(multiply), jax.jit(many)
        self.result = self.many(*self.operands)
        self.call()
        self.finish()

    def load(self, i, memory):
        if i < 2:
            array = jnp.frombuffer(memory, dtype=self.type).reshape(self.shapes[i])
            self.operands[i] = jax.device_put(array, place)

    def store(self, i, memory):
        memory[:] = self.result.tobytes()

    def call(self):
        self.result = self.one(*self.operands)

    def calls(self, count):
        for _ in range(count // TOGETHER):
            self.result = self.many(*self.operands)
        for _ in range(count % TOGETHER):
            self.call()

    def finish(self):
        self.result.block_until_ready()

make = Product
)py";

}  // namespace ridge
