#include "workers/policy.h"

#include "events/chain.h"

namespace turnstone {
namespace embedded {
extern const std::string_view policy_toml;
}

Result<std::shared_ptr<const Policy>> Policy::parse(std::string_view toml) {
  auto variants = parse_variants(toml);
  if (!variants) return tl::unexpected(variants.error());
  auto cues = CueBook::parse(toml);
  if (!cues) return tl::unexpected(cues.error());
  std::shared_ptr<Policy> policy(new Policy);
  policy->cues_ = std::move(*cues);
  policy->source_ = std::string(toml);
  policy->fingerprint_ = Fingerprint{blake2b(toml)};
  policy->shopper_ = variants->at("shopper");
  policy->benchmark_ = variants->at("benchmark");
  return policy;
}

std::shared_ptr<const Policy> Policy::standard() {
  static const std::shared_ptr<const Policy> policy = parse(embedded::policy_toml).value();
  return policy;
}

const Variant& Policy::variant(std::string_view name) const { return name == "benchmark" ? benchmark_ : shopper_; }

}  // namespace turnstone
