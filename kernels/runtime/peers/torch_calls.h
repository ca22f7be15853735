// What PyTorch's peers on a GPU share: calls as CUDA graphs, searches drawn anew, and the fastest of several.
// Prelude of their scripts (external::Peer::prelude); tests/peers_test.cpp runs it with a torch that only counts.
#pragma once

namespace ridge {

/// The oldest PyTorch that is compared with: enable_gqa, rms_norm, and cuDNN's plans found by search once a thread.
inline constexpr const char* kTorchFloor = "2.5";

inline constexpr const char* kTorchCalls = R"py(
import math, os, threading, time, torch

device = int(os.environ['RIDGE_PEER_DEVICE'])
place = torch.device('cpu' if device < 0 else f'cuda:{device}')
torch.set_num_threads(int(os.environ['RIDGE_PEER_THREADS']))

# fp32 stays fp32, and 16-bit types are added up in fp32, as in our rungs.
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
torch.backends.cudnn.allow_tf32 = False

class Calls:
    """Calls of compute(), which returns what it wrote, as CUDA graphs: TOGETHER calls a graph, since each launch from
    Python takes 10 us and more; single ones for the rest. turns: so many calls differ from each other (copies of an
    operand that take turns), compute() counts them itself, and any number of calls goes on where the last ended."""
    TOGETHER = 20

    def __init__(self, compute, turns=1):
        self.compute, self.turns, self.turn, self.output, self.note = compute, turns, 0, None, ''
        self.side = torch.cuda.Stream(place)
        self.side.wait_stream(torch.cuda.current_stream(place))
        with torch.cuda.stream(self.side):
            for _ in range(math.ceil(3 / turns) * turns):  # searches, compilers, workspaces: before a recording
                compute()
        torch.cuda.synchronize(place)
        self.together = math.ceil(self.TOGETHER / turns) * turns
        try:
            self.single = [self.record(1) for _ in range(turns)]
            self.many = self.record(self.together)
        except RuntimeError as error:
            self.single, self.many = None, None
            self.note = 'no CUDA graph: ' + ' '.join(str(error).split())[:60]

    def record(self, calls):
        graph, output = torch.cuda.CUDAGraph(), None
        with torch.cuda.graph(graph, stream=self.side):
            for _ in range(calls):
                output = None  # the next call may write where this one did
                output = self.compute()
        return graph, output

    def call(self):
        if self.single is None:
            self.output = self.compute()
            return
        graph, self.output = self.single[self.turn]
        graph.replay()
        self.turn = (self.turn + 1) % self.turns

    def calls(self, count):
        while count > 0:
            if self.many is not None and self.turn == 0 and count >= self.together:
                graph, self.output = self.many
                graph.replay()
                count -= self.together
            else:
                self.call()
                count -= 1

class Direct:
    """The same on a CPU: nothing to record."""
    def __init__(self, compute):
        self.compute, self.output, self.note = compute, compute(), ''

    def call(self):
        self.output = self.compute()

    def calls(self, count):
        for _ in range(count):
            self.output = self.compute()

class Replayed:
    """A plan whose calls are compute()'s; the rung's own class derives from it and calls begin() when it is ready."""
    def begin(self, turns=1):
        self.made = Calls(self.compute, turns) if device >= 0 else Direct(self.compute)
        if self.made.note:
            self.note = self.made.note

    def call(self):
        self.made.call()

    def calls(self, count):
        self.made.calls(count)

    def finish(self):
        if device >= 0:
            torch.cuda.synchronize(place)

class Draw(threading.Thread):
    """work() in a thread of its own. PyTorch keeps the plans that cuDNN's search found for each thread, so that a new
    thread searches anew. The thread stays, and with it the plans that a recording needs, until drop()."""
    def __init__(self, work):
        super().__init__(daemon=True)
        self.work, self.result, self.error = work, None, None
        self.wake, self.done = threading.Event(), threading.Event()
        self.start()
        self.again(work)

    def again(self, work):
        """More work in the same thread, with the same plans."""
        self.work = work
        self.done.clear()
        self.wake.set()
        self.done.wait()
        if self.error is not None:
            raise self.error
        return self.result

    def run(self):
        torch.cuda.set_device(place)
        while True:
            self.wake.wait()
            self.wake.clear()
            if self.work is None:
                return
            try:
                self.result = self.work()
            except Exception as error:
                self.error = error
            self.done.set()

    def drop(self):
        self.result = self.work = None
        self.wake.set()
        self.join()

def seconds_of(calls, rounds=7):
    """Seconds a call of each of `calls`, by CUDA events round its graph: medians of rounds in which they take turns."""
    times = [[] for _ in calls]
    marks = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
    for at in range(rounds + 1):
        for one, taken in zip(calls, times):
            repeats = 1 if at == 0 else max(1, min(50, int(1e-3 / max(taken[0] * one.together, 1e-7))))
            marks[0].record()
            one.calls(repeats * one.together)
            marks[1].record()
            marks[1].synchronize()
            taken.append(marks[0].elapsed_time(marks[1]) * 1e-3 / (repeats * one.together))
    return [sorted(taken[1:])[rounds // 2] for taken in times]

def fastest_draw(work, count, limit_s):
    """The fastest of `count` draws of work(), fewer where they take more than limit_s; the others are dropped. Returns
    the draw, and the seconds a call of all of them, its own first."""
    end, draws = time.monotonic() + limit_s, []
    while not draws or (len(draws) < count and time.monotonic() < end):
        draws.append(Draw(work))
    seconds = seconds_of([draw.result for draw in draws]) if len(draws) > 1 else [math.nan]
    order = sorted(range(len(draws)), key=lambda i: seconds[i])
    for i in order[1:]:
        draws[i].drop()
    return draws[order[0]], [seconds[i] for i in order]
)py";

}  // namespace ridge
