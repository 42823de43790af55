#include "replay/checkpoint.h"

#include <fmt/core.h>
#include <sodium.h>

#include <nlohmann/json.hpp>

namespace turnstone {
namespace {

using nlohmann::json;

constexpr std::size_t text_bytes_max = 4'096;
using Signature = std::array<unsigned char, crypto_sign_BYTES>;

std::string hex_of(const Signature& bytes) {
  std::string text(bytes.size() * 2 + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), bytes.data(), bytes.size());
  text.pop_back();
  return text;
}

std::optional<Signature> signature_of(std::string_view hex) {
  Signature bytes{};
  std::size_t length = 0;
  if (hex.size() != bytes.size() * 2) return std::nullopt;
  if (sodium_hex2bin(bytes.data(), bytes.size(), hex.data(), hex.size(), nullptr, &length, nullptr) != 0 || length != bytes.size())
    return std::nullopt;
  return bytes;
}

// What is signed; fixed for ever, whatever the JSON around it looks like.
std::string signed_bytes(const Checkpoint& checkpoint) {
  return fmt::format("turnstone checkpoint 1\n{}\n{}\n{}\n", checkpoint.position.value, to_hex(checkpoint.commit_hash), checkpoint.made_at.value);
}

const unsigned char* data_of(const std::string& text) { return reinterpret_cast<const unsigned char*>(text.data()); }

std::optional<std::string> text_at(const json& document, const char* name) {
  const auto found = document.find(name);
  return found != document.end() && found->is_string() ? std::optional(found->get<std::string>()) : std::nullopt;
}

template <class Number>
std::optional<Number> number_at(const json& document, const char* name) {
  const auto found = document.find(name);
  return found != document.end() && found->is_number_unsigned() ? std::optional(found->get<Number>()) : std::nullopt;
}

}  // namespace

Result<Checkpoint> checkpoint_of(const Ledger& ledger, const LedgerMark& durable, Timestamp now) {
  if (durable.position.value == 0) return fail(ErrorCode::not_found, "the ledger holds no durable write yet; there is nothing to sign");
  const auto records = ledger.commits(durable.position, 1);
  if (!records) return tl::unexpected(records.error());
  if (records->empty() || records->front().hash != durable.commit_hash) {
    return fail(ErrorCode::corrupt, fmt::format("the write that was acknowledged at position {} is missing or another one; run turnstone verify",
                                                durable.position.value));
  }
  return Checkpoint{durable.position, durable.commit_hash, now};
}

std::string sign_checkpoint(const Checkpoint& checkpoint, const SigningSeed& seed) {
  std::array<unsigned char, crypto_sign_PUBLICKEYBYTES> open{};
  std::array<unsigned char, crypto_sign_SECRETKEYBYTES> secret{};
  crypto_sign_seed_keypair(open.data(), secret.data(), seed.value.data());
  const std::string bytes = signed_bytes(checkpoint);
  Signature signature{};
  crypto_sign_detached(signature.data(), nullptr, data_of(bytes), bytes.size(), secret.data());
  sodium_memzero(secret.data(), secret.size());
  const nlohmann::ordered_json document = {{"checkpoint", 1},
                                           {"position", checkpoint.position.value},
                                           {"commit_hash", to_hex(checkpoint.commit_hash)},
                                           {"made_at_us", checkpoint.made_at.value},
                                           {"signature", hex_of(signature)}};
  return document.dump();
}

Result<Checkpoint> read_checkpoint(std::string_view text, const VerifyingKey& key) {
  const json document = text.size() > text_bytes_max ? json() : json::parse(text, nullptr, false);
  if (!document.is_object()) return fail(ErrorCode::invalid_argument, "this is no checkpoint; `turnstone checkpoint` makes one");
  if (number_at<std::uint64_t>(document, "checkpoint") != std::uint64_t{1}) {
    return fail(ErrorCode::invalid_argument, "this is no checkpoint of version 1; make it, or verify it, with the other release");
  }
  const auto position = number_at<std::uint64_t>(document, "position");
  const auto made_at = number_at<std::int64_t>(document, "made_at_us");
  const auto hash = parse_digest(text_at(document, "commit_hash").value_or(""));
  const auto signature = signature_of(text_at(document, "signature").value_or(""));
  if (!position || !made_at || !hash || !signature) {
    return fail(ErrorCode::invalid_argument,
                "the checkpoint is incomplete: it needs position, commit_hash, made_at_us and signature as they were written");
  }
  const Checkpoint checkpoint{GlobalPosition{*position}, *hash, Timestamp{*made_at}};
  const std::string bytes = signed_bytes(checkpoint);
  if (crypto_sign_verify_detached(signature->data(), data_of(bytes), bytes.size(), key.value.data()) != 0) {
    return fail(ErrorCode::refused, "the checkpoint's signature does not fit: it was altered, or signed with another key");
  }
  return checkpoint;
}

Result<std::optional<std::string>> contradiction(const Ledger& ledger, const Checkpoint& checkpoint) {
  if (ledger.position() < checkpoint.position) {
    return fmt::format("the ledger ends at position {}, the checkpoint was made at {}: what followed was cut off", ledger.position().value,
                       checkpoint.position.value);
  }
  const auto records = ledger.commits(checkpoint.position, 1);
  if (!records) return tl::unexpected(records.error());
  if (records->empty() || records->front().hash != checkpoint.commit_hash) {
    return fmt::format("position {} has another hash than the checkpoint: something up to there was altered since", checkpoint.position.value);
  }
  return std::nullopt;
}

}  // namespace turnstone
