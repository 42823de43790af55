#include "tests/simulation/model_keys.h"

#include <cstring>

namespace turnstone::simulation {
namespace {

constexpr std::uint32_t slots_per_block = 2;  // few, so that blocks are made while things break

SecretKey secret_of(std::uint64_t seed) {
  SecretKey secret{};
  std::memcpy(secret.data(), &seed, sizeof(seed));
  return secret;
}

}  // namespace

ModelKeys::ModelKeys(std::uint64_t seed, const ModelDisk& disk) : disk_(disk), slots_(make_memory_key_store(secret_of(seed))) {}

Status ModelKeys::writable() const {
  if (disk_.full) return fail(ErrorCode::no_space, "the disk is full: no key can be made or erased; free space and try again");
  if (disk_.sync_fails) return fail(ErrorCode::io, "the disk did not take a change of the keys");
  return {};
}

Result<KeySlot> ModelKeys::reserve(KeySlot from) {
  while (from.value > made_) {
    if (auto may = writable(); !may) return tl::unexpected(may.error());
    made_ += slots_per_block;
  }
  return slots_->reserve(from);
}

Status ModelKeys::erase(KeySlot slot, const Erasure& erasure) {
  if (auto may = writable(); !may) return may;
  return slots_->erase(slot, erasure);
}

}  // namespace turnstone::simulation
