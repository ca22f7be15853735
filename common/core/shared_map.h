// A small map of names that is copied as a value and shares its memory: copies have one map until one of them is
// changed. A long session holds thousands of equal ones: the parameters of its results, the reasons why something was
// not measured.
#pragma once

#include <atomic>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ridge {

/// As a std::map, but that what is in it is changed by operator[] alone: its iterators are constant.
template <class Value>
class SharedMap {
 public:
  using Map = std::map<std::string, Value>;
  using key_type = typename Map::key_type;
  using mapped_type = typename Map::mapped_type;
  using value_type = typename Map::value_type;
  using const_iterator = typename Map::const_iterator;
  using iterator = const_iterator;

  SharedMap() = default;
  SharedMap(Map map) {
    if (!map.empty()) held_ = std::make_shared<Map>(std::move(map));
  }
  SharedMap(std::initializer_list<value_type> entries) : SharedMap(Map(entries)) {}
  template <class Iterator>
  SharedMap(Iterator first, Iterator last) : SharedMap(Map(first, last)) {}

  const Map& map() const {
    static const Map kEmpty;
    return held_ ? *held_ : kEmpty;
  }
  const_iterator begin() const { return map().begin(); }
  const_iterator end() const { return map().end(); }
  size_t size() const { return map().size(); }
  bool empty() const { return map().empty(); }
  const_iterator find(const std::string& name) const { return map().find(name); }
  size_t count(const std::string& name) const { return map().count(name); }
  bool contains(const std::string& name) const { return map().contains(name); }
  const Value& at(const std::string& name) const { return map().at(name); }

  Value& operator[](const std::string& name) { return own()[name]; }
  template <class... Made>
  void emplace(Made&&... made) {
    own().emplace(std::forward<Made>(made)...);
  }
  void insert(const value_type& entry) { own().insert(entry); }
  template <class Iterator>
  void insert(Iterator first, Iterator last) {
    own().insert(first, last);
  }
  void erase(const std::string& name) {
    if (contains(name)) own().erase(name);
  }
  template <class Predicate>
  void erase_if(Predicate&& is_bad) {
    std::erase_if(own(), std::forward<Predicate>(is_bad));
  }
  void clear() { held_.reset(); }

  bool operator==(const SharedMap& other) const {
    return held_ == other.held_ || map() == other.map();
  }
  bool operator<(const SharedMap& other) const { return map() < other.map(); }

 private:
  /// The map, shared with no copy.
  Map& own() {
    if (!held_)
      held_ = std::make_shared<Map>();
    else if (held_.use_count() > 1)
      held_ = std::make_shared<Map>(*held_);
    else  // another thread's copy may have gone just now: what it read was before what is written here
      std::atomic_thread_fence(std::memory_order_acquire);
    return *held_;
  }

  std::shared_ptr<Map> held_;  ///< null: empty
};

/// Lets equal maps of a run share memory: it knows the last few that differ.
template <class Value>
class MapPool {
 public:
  void share(SharedMap<Value>* map) {
    if (map->empty()) return;
    for (const SharedMap<Value>& known : known_) {
      if (known == *map) {
        *map = known;
        return;
      }
    }
    constexpr size_t kMost = 32;
    if (known_.size() < kMost)
      known_.push_back(*map);
    else
      known_[next_++ % kMost] = *map;
  }

 private:
  std::vector<SharedMap<Value>> known_;
  size_t next_ = 0;
};

}  // namespace ridge
