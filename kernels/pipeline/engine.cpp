// ridge: needs=jpeg
#include "kernels/pipeline/engine.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace ridge::pipeline {

int Engine::host_buffers() const {
  const Loader& loader = setup_.loader;
  if (loader.by == LoadedBy::the_step) return 1;
  return loader.share_batch ? std::max(2, setup_.buffers) : setup_.workers + setup_.buffers;
}

int Engine::device_buffers() const {
  return setup_.loader.device_buffers > 0 ? setup_.loader.device_buffers : setup_.buffers;
}

Engine::Engine(EngineSetup setup)
    : setup_(std::move(setup)),
      order_(setup_.set->count(), setup_.seed),
      host_ring_(host_buffers()),
      device_ring_(device_buffers()),
      filled_(static_cast<size_t>(host_buffers())),
      began_ns_(filled_.size()),
      full_ns_(filled_.size()),
      copied_ns_(static_cast<size_t>(device_buffers())),
      copy_queued_ns_(copied_ns_.size()),
      step_queued_ns_(copied_ns_.size()),
      on_device_(copied_ns_.size()),
      holds_(copied_ns_.size()) {}

Result<std::unique_ptr<Engine>> Engine::make(EngineSetup setup) {
  std::unique_ptr<Engine> engine(new Engine(std::move(setup)));
  RIDGE_TRY_VOID(engine->allocate());
  return engine;
}

Result<void> Engine::allocate() {
  const size_t bytes = setup_.geometry.batch_bytes();
  const bool forks = setup_.loader.by == LoadedBy::processes;
  for (int i = 0; i < host_buffers(); ++i) {
    if (forks) {
      shared_.push_back(shared_memory(bytes));
      host_.push_back(shared_.back().get());
      if (host_.back() == nullptr) {
        return Error{ErrorCode::unavailable, "no memory to share with worker processes", "pipeline",
                     "choose a smaller batch or fewer buffers"};
      }
    } else {
      RIDGE_TRY(std::byte* const memory, setup_.device->host_memory(bytes));
      host_.push_back(memory);
    }
  }
  memory_bytes_ = double(bytes) * double(host_buffers() + device_buffers()) +
                  setup_.source->held_bytes() + setup_.device->held_bytes();
  for (int i = 0; i < setup_.workers && forks; ++i) {
    forked_.push_back(std::make_unique<ForkedLoader>(setup_.geometry, setup_.source.get()));
    if (forked_.back()->pid() <= 0)
      return Error{ErrorCode::unavailable, "a worker process could not be started", "pipeline", ""};
  }
  for (int i = 0; i < setup_.workers; ++i)
    loaders_.push_back(std::make_unique<ImageLoader>(setup_.geometry, setup_.source.get()));
  return {};
}

Engine::~Engine() {
  stop();
  for (std::thread& thread : threads_) thread.join();
}

std::vector<pid_t> Engine::worker_pids() const {
  std::vector<pid_t> pids;
  for (const auto& forked : forked_) pids.push_back(forked->pid());
  return pids;
}

void Engine::stop() {
  gate_.stop();
  host_ring_.stop();
  device_ring_.stop();
}

void Engine::fail(const Error& error) {
  {
    const std::lock_guard lock(mutex_);
    if (!failed_) failed_ = error;
  }
  stop();
}

void Engine::start() {
  const bool has_workers = setup_.loader.by != LoadedBy::the_step;
  for (int i = 0; i < setup_.workers && has_workers; ++i)
    threads_.emplace_back([this, i] { work(i); });
  if (setup_.loader.copies_ahead) threads_.emplace_back([this] { copy_loop(); });
}

void Engine::emit(const char* stage, int worker, int buffer, int64_t item, int64_t items,
                  double start_ns, double end_ns) const {
  if (sink_ == nullptr || !(end_ns > start_ns)) return;
  (*sink_)({.stage = stage,
            .worker = worker,
            .buffer = buffer,
            .item = item,
            .items = items,
            .start_ns = start_ns,
            .end_ns = end_ns});
}

// ---- workers -------------------------------------------------------------------------------------

Engine::Shuffle Engine::shuffle_of(int64_t epoch) {
  constexpr size_t kKept = 4;
  const std::lock_guard lock(mutex_);
  for (const auto& [number, shuffle] : shuffles_) {
    if (number == epoch) return shuffle;
  }
  if (shuffles_.size() == kKept) shuffles_.erase(shuffles_.begin());
  shuffles_.emplace_back(epoch, std::make_shared<std::vector<int32_t>>(order_.shuffle(epoch)));
  return shuffles_.back().second;
}

Record Engine::record_of(int64_t item) {
  const int64_t epoch = order_.epoch(item);
  Record record;
  record.file = (*shuffle_of(epoch))[static_cast<size_t>(item % order_.files())];
  record.label = setup_.set->labels[static_cast<size_t>(record.file)];
  order_.augment(epoch, &record, setup_.geometry);
  return record;
}

void Engine::skip(int32_t file, const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (skipped_++ == 0) first_skipped_ = setup_.set->name(file) + ": " + why;
}

bool Engine::load_image(int worker, int64_t item) {
  const int64_t batch = item / setup_.geometry.batch;
  const int i = static_cast<int>(item % setup_.geometry.batch);
  const Batch to = host_batch(batch);
  const int buffer = host_ring_.slot(batch);
  to.records()[i] = record_of(item);
  LoadTimes times;
  std::string why;
  bool alive = true, good = false;
  if (forked_.empty()) {
    good = loaders_[static_cast<size_t>(worker)]->load(to, i, &times, &why);
  } else {
    good = forked_[static_cast<size_t>(worker)]->load(to, i, &times, &why, &alive);
  }
  if (!alive) fail({ErrorCode::invalid, why, "pipeline", "run it again"});
  if (!good && alive) skip(to.records()[i].file, why);
  for (int part = 0; part < 4; ++part) {
    emit(kLoadParts[part], worker, buffer, item, 1, times.at_ns[part], times.at_ns[part + 1]);
  }
  if (i == 0) began_ns_[static_cast<size_t>(buffer)] = times.at_ns[0];
  if (++filled_[static_cast<size_t>(buffer)] == setup_.geometry.batch) {
    filled_[static_cast<size_t>(buffer)] = 0;
    full_ns_[static_cast<size_t>(buffer)] = now_ns();
    host_ring_.publish(batch);
  }
  return alive;
}

bool Engine::load_batch(int worker, int64_t batch) {
  const int64_t first = batch * setup_.geometry.batch;
  for (int64_t item = first; item < first + setup_.geometry.batch; ++item) {
    if (!load_image(worker, item)) return false;
  }
  return true;
}

void Engine::work(int worker) {
  // A team that steps is as late as its latest thread: a worker must not keep one waiting.
  constexpr int kLower = 19;
  if (setup_.loader.gives_way) ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kLower);
  if (setup_.loader.share_batch) return work_on_images(worker);
  work_on_batches(worker);
}

/// The gate is passed for every image, so that a window's end does not wait for a whole batch.
void Engine::work_on_batches(int worker) {
  for (;;) {
    const int64_t batch = next_batch_++;
    if (!host_ring_.wait_free(batch)) return;
    const int64_t first = batch * setup_.geometry.batch;
    for (int64_t item = first; item < first + setup_.geometry.batch; ++item) {
      if (!gate_.enter()) return;
      const bool alive = load_image(worker, item);
      gate_.leave();
      if (!alive) return;
    }
  }
}

void Engine::work_on_images(int worker) {
  for (;;) {
    const int64_t item = next_item_++;
    if (!host_ring_.wait_free(item / setup_.geometry.batch) || !gate_.enter()) return;
    const bool alive = load_image(worker, item);
    gate_.leave();
    if (!alive) return;
  }
}

// ---- copy and step -------------------------------------------------------------------------------

bool Engine::queue_copy(int64_t batch) {
  const Batch from = host_batch(batch);
  const int host = host_ring_.slot(batch), to = device_ring_.slot(batch);
  const int64_t items = setup_.geometry.batch;
  const double start = copy_queued_ns_[static_cast<size_t>(to)] = now_ns();
  const auto full = full_ns_[static_cast<size_t>(host)];
  emit("host buffer, filling", host, host, batch, items, began_ns_[static_cast<size_t>(host)],
       full);
  emit("host buffer, full", host, host, batch, items, full, start);
  holds_[static_cast<size_t>(to)] = copies_;
  if (!copies_) return true;
  const auto queued = setup_.device->queue_copy(to, from);
  if (!queued) fail(queued.error());
  return queued.ok();
}

bool Engine::finish_copy(int64_t batch) {
  const Batch from = host_batch(batch);
  const int to = device_ring_.slot(batch);
  const int64_t items = setup_.geometry.batch;
  const bool copied = holds_[static_cast<size_t>(to)] != 0;
  if (copied) {
    const auto finished = setup_.device->finish_copy();
    if (!finished) fail(finished.error());
    if (!finished) return false;
  }
  const Record* records = from.records();
  for (int64_t i = 0; i < items && setup_.device->decodes() && copied; ++i) {
    if (records[i].label < 0 && records[i].bytes > 0)
      skip(records[i].file, "the GPU cannot decode it");
  }
  on_device_[static_cast<size_t>(to)].assign(records, records + items);
  // A copy that was queued behind another began when that one ended.
  const double start = std::max(copy_queued_ns_[static_cast<size_t>(to)], last_copied_ns_);
  last_copied_ns_ = copied_ns_[static_cast<size_t>(to)] = now_ns();
  emit(setup_.device->decodes() ? "copy and decode" : "copy", 0, to, batch, items, start,
       last_copied_ns_);
  host_ring_.release(batch);
  return true;
}

/// The gate is passed for each batch: closing it waits for those under way.
void Engine::copy_loop() {
  const bool ahead = setup_.loader.queues_ahead;
  for (bool good = true; good;) {
    int64_t& next = copies_queued_;
    if (next == next_copy_) {
      if (!host_ring_.wait_full(next) || !device_ring_.wait_free(next) || !gate_.enter()) return;
      good = queue_copy(next++);
    }
    // Only what is there already: waiting for a batch would hold up the one that is under way.
    const bool another = good && ahead && next == next_copy_ + 1 && host_ring_.is_full(next) &&
                         device_ring_.is_free(next) && gate_.try_enter();
    if (another) good = queue_copy(next++);
    good = good && finish_copy(next_copy_);
    if (good) device_ring_.publish(next_copy_++);
    if (good) gate_.leave();
  }
  for (; next_copy_ < copies_queued_; ++next_copy_) gate_.leave();
}

/// The next batch's step, as soon as the batch is on the device.
bool Engine::queue_step() {
  const int64_t batch = steps_queued_;
  const bool ahead = setup_.loader.copies_ahead;
  if (setup_.loader.by == LoadedBy::the_step && !load_batch(0, batch)) return false;
  if (!(ahead ? device_ring_.wait_full(batch) : host_ring_.wait_full(batch))) return false;
  if (!ahead && !(queue_copy(batch) && finish_copy(batch))) return false;
  const int slot = device_ring_.slot(batch);
  step_queued_ns_[static_cast<size_t>(slot)] = now_ns();
  if (steps_) {
    const auto queued = setup_.device->queue_step(slot);
    if (!queued) fail(queued.error());
    if (!queued) return false;
  }
  ++steps_queued_;
  return true;
}

bool Engine::finish_step() {
  const int slot = device_ring_.slot(next_step_);
  if (steps_) {
    const auto stepped = setup_.device->finish_step();
    if (!stepped) fail(stepped.error());
    if (!stepped) return false;
  }
  // A step that was queued behind another began when that one ended.
  const double start = std::max(step_queued_ns_[static_cast<size_t>(slot)], last_stepped_ns_);
  last_stepped_ns_ = now_ns();
  if (setup_.loader.copies_ahead) {
    emit("device buffer, full", slot, slot, next_step_, setup_.geometry.batch,
         copied_ns_[static_cast<size_t>(slot)], start);
  }
  if (steps_) emit("step", 0, slot, next_step_, setup_.geometry.batch, start, last_stepped_ns_);
  return true;
}

bool Engine::step_batch() {
  if (steps_queued_ == next_step_ && !queue_step()) return false;
  // Only what is there already: waiting for a batch would hold up the one that is under way.
  const bool another = setup_.loader.queues_ahead && device_ring_.is_full(steps_queued_);
  if (another && !queue_step()) return false;
  return finish_step();
}

/// Counts what arrived and holds it against the seeded order; the images that were not skipped.
int64_t Engine::deliver(int64_t batch) {
  const auto& records = on_device_[static_cast<size_t>(device_ring_.slot(batch))];
  int64_t good = 0;
  for (int64_t i = 0; i < setup_.geometry.batch; ++i, ++delivered_) {
    const Record& record = records[static_cast<size_t>(i)];
    const int32_t expected =
        (*shuffle_of(order_.epoch(delivered_)))[static_cast<size_t>(delivered_ % order_.files())];
    if (record.label >= 0) ++good;
    if (record.file == expected) continue;
    if (misplaced_++ == 0) {
      first_misplaced_ = "image " + std::to_string(delivered_) + " was " +
                         setup_.set->name(record.file) + ", not " + setup_.set->name(expected);
    }
  }
  device_ring_.release(batch);
  return good;
}

Result<PipelineWindow> Engine::run(double window_s, bool copies, bool steps) {
  if (threads_.empty()) start();
  copies_ = copies;
  steps_ = steps;
  PipelineWindow window;
  const double start = now_ns();
  gate_.open();
  bool good = true;
  do {
    good = step_batch();
    if (good) window.items += deliver(next_step_++);
    window.took_s = (now_ns() - start) * 1e-9;
  } while (good && window.took_s < window_s);
  for (; good && next_step_ < steps_queued_; window.took_s = (now_ns() - start) * 1e-9) {
    good = finish_step();
    if (good) window.items += deliver(next_step_++);
  }
  gate_.close();
  copies_ = steps_ = true;
  sink_ = nullptr;
  const std::lock_guard lock(mutex_);
  if (failed_) return *failed_;
  return window;
}

Result<PipelineWindow> Engine::run_window(double window_s, const SpanSink& sink) {
  sink_ = &sink;
  return run(window_s, true, true);
}

double Engine::bytes_per_item() const {
  double sum = 0;
  for (const uint32_t size : setup_.set->bytes) sum += size;
  return sum / double(setup_.set->count());
}

std::string Engine::note() const {
  std::string text = setup_.device->name();
  if (skipped_ > 0) {
    text += "; " + std::to_string(skipped_) + (skipped_ == 1 ? " image" : " images") +
            " skipped, first " + first_skipped_;
  }
  if (!setup_.set->note.empty()) text += "; " + setup_.set->note;
  return text;
}

}  // namespace ridge::pipeline
