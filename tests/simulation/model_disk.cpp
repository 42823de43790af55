#include "tests/simulation/model_disk.h"

#include <algorithm>
#include <iterator>

#include "storage/ledger/bytes.h"

namespace turnstone::simulation {
namespace {

constexpr std::size_t sector_bytes = 512;

std::uint64_t checksum(std::string_view bytes) {
  Trace sum(false);
  sum.add(bytes);
  return sum.hash();
}

// length of the body, its checksum, body: the puts, then the removals.
std::string encode(const WriteBatch& batch) {
  ByteWriter body;
  body.u32(static_cast<std::uint32_t>(batch.puts.size()));
  for (const auto& [key, value] : batch.puts) {
    body.text(key).text(value);
  }
  body.u32(static_cast<std::uint32_t>(batch.removals.size()));
  for (const std::string& key : batch.removals) body.text(key);
  ByteWriter record;
  record.u32(static_cast<std::uint32_t>(body.bytes().size())).u64(checksum(body.bytes())).raw(body.bytes());
  return record.take();
}

void carry_over(std::string_view body, ModelDisk::Entries& entries) {
  ByteReader reader(body);
  for (std::uint32_t puts = reader.u32(); puts > 0; --puts) {
    std::string key(reader.text());
    entries.insert_or_assign(std::move(key), std::string(reader.text()));
  }
  for (std::uint32_t removals = reader.u32(); removals > 0; --removals) {
    if (const auto found = entries.find(reader.text()); found != entries.end()) entries.erase(found);
  }
}

// Bodies of the records at the head of `log`, up to the first that is not whole.
std::vector<std::string> replay(std::string_view log) {
  std::vector<std::string> bodies;
  while (log.size() >= 12) {
    ByteReader head(log.substr(0, 12));
    const std::uint32_t length = head.u32();
    const std::uint64_t sum = head.u64();
    if (log.size() - 12 < length || checksum(log.substr(12, length)) != sum) break;
    bodies.emplace_back(log.substr(12, length));
    log.remove_prefix(12 + length);
  }
  return bodies;
}

constexpr std::string_view body_of(std::string_view record) { return record.substr(12); }

}  // namespace

Status ModelDisk::write(const WriteBatch& batch) {
  if (full) return fail(ErrorCode::no_space, "the disk is full: a write was refused; free space and send it again");
  log_.push_back(encode(batch));
  trace_.add(log_.back());
  carry_over(body_of(log_.back()), live_);
  return {};
}

Status ModelDisk::begin_sync() {
  if (sync_fails) return fail(ErrorCode::io, "the disk did not take it");
  syncing_ = log_.size();
  if (sync_waits) end_sync();
  return {};
}

void ModelDisk::end_sync() {
  for (std::size_t i = 0; i < syncing_; ++i) carry_over(body_of(log_[i]), durable_);
  log_.erase(log_.begin(), log_.begin() + static_cast<std::ptrdiff_t>(std::exchange(syncing_, 0)));
}

void ModelDisk::settle() {
  syncing_ = log_.size();
  end_sync();
}

void ModelDisk::power_fails(testing::Random& random) {
  std::string log;
  for (const std::string& record : log_) log += record;
  switch (random.below(4)) {
    case 0:
      log.clear();
      break;
    case 1:
      break;
    case 2:
      log.resize(random.below(log.size() + 1));
      break;
    default:
      if (log.empty()) break;
      const std::size_t from = random.below(log.size()) / sector_bytes * sector_bytes;
      std::fill(log.begin() + static_cast<std::ptrdiff_t>(from), log.begin() + static_cast<std::ptrdiff_t>(std::min(log.size(), from + sector_bytes)),
                '\0');
  }
  trace_.add(log.size());
  log_.clear();
  syncing_ = 0;
  live_ = durable_;
  for (const std::string& body : replay(log)) carry_over(body, live_);
  durable_ = live_;
}

std::optional<std::string> ModelDisk::durable(std::string_view key) const {
  const auto found = durable_.find(key);
  return found == durable_.end() ? std::nullopt : std::optional(found->second);
}

namespace {
tl::unexpected<Error> process_is_dead() { return fail(ErrorCode::io, "the process is dead"); }
}  // namespace

Result<std::optional<std::string>> OpenDisk::get(std::string_view key) const {
  if (dead_) return process_is_dead();
  const auto found = disk_.entries().find(key);
  return found == disk_.entries().end() ? std::nullopt : std::optional(found->second);
}

Status OpenDisk::scan(std::string_view prefix, std::string_view from, const Visit& visit) const {
  if (dead_) return process_is_dead();
  for (auto it = disk_.entries().lower_bound(from); it != disk_.entries().end() && it->first.starts_with(prefix); ++it) {
    if (!visit(it->first, it->second)) break;
  }
  return {};
}

Result<std::optional<Store::Entry>> OpenDisk::last(std::string_view prefix) const {
  if (dead_) return process_is_dead();
  std::string end(prefix);
  end += '\xff';  // as in the ledger's body in memory: no key goes on with this byte
  auto it = disk_.entries().lower_bound(end);
  if (it == disk_.entries().begin() || !(--it)->first.starts_with(prefix)) return std::nullopt;
  return Entry{it->first, it->second};
}

Status OpenDisk::write(const WriteBatch& batch) { return dead_ ? Status(process_is_dead()) : disk_.write(batch); }
Status OpenDisk::sync(const LedgerMark&) { return dead_ ? Status(process_is_dead()) : disk_.begin_sync(); }

}  // namespace turnstone::simulation
