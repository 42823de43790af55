#include "tools/policy_file.h"

#include "tools/text_file.h"

namespace turnstone {

namespace {
constexpr std::size_t policy_bytes_max = 4 << 20;
}

Result<std::shared_ptr<const Policy>> load_policy(const std::string& file) {
  if (file.empty()) return Policy::standard();
  const auto text = read_text_file(file, policy_bytes_max);
  if (!text) return tl::unexpected(text.error());
  auto policy = Policy::parse(*text);
  if (!policy) return fail(policy.error().code, file + ": " + policy.error().detail);
  return policy;
}

}  // namespace turnstone
