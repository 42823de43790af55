// What is derived from an artefact once and then shared: made by the first who asks, kept by fingerprint.
//
// Kept<T>::get is a pure function of its key as long as `make` is: whoever asks gets the same value, whether it was
// just made or kept. Thread safe: one lock, held while the value is made. Bounded: the oldest of `limit` values goes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace turnstone {

template <class Key, class T>
class Kept {
 public:
  explicit Kept(std::size_t limit) : limit_(limit) {}

  template <class Make>
  std::shared_ptr<const T> get(const Key& key, Make&& make) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(values_.begin(), values_.end(), [&](const auto& entry) { return entry.first == key; });
    if (found != values_.end()) return found->second;
    if (values_.size() == limit_) values_.erase(values_.begin());
    values_.emplace_back(key, make());
    return values_.back().second;
  }

 private:
  const std::size_t limit_;
  std::mutex mutex_;
  std::vector<std::pair<Key, std::shared_ptr<const T>>> values_;
};

}  // namespace turnstone
