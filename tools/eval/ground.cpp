#include "tools/eval/ground.h"

#include <fmt/format.h>

#include <algorithm>

#include "events/chain.h"
#include "tools/policy_file.h"
#include "tools/progress.h"

namespace turnstone {

namespace {

// Fields end in a byte that no text holds.
void append_product(std::string& text, std::string_view id, std::string_view title, std::string_view store, const std::optional<Number>& price) {
  for (const std::string_view field : {id, title, store}) text.append(field).push_back('\0');
  if (price) text += to_string(*price);
  text += '\0';
}

}  // namespace

Fingerprint catalogue_fingerprint(const std::vector<ProductRow>& rows) {
  std::vector<const ProductRow*> by_id;
  for (const ProductRow& row : rows) by_id.push_back(&row);
  std::sort(by_id.begin(), by_id.end(), [](const ProductRow* a, const ProductRow* b) { return a->id < b->id; });
  std::string text;
  for (const ProductRow* row : by_id) append_product(text, row->id, row->title, row->store, row->price);
  return Fingerprint{blake2b(text)};
}

Fingerprint catalogue_fingerprint(const Artefact& artefact) {
  std::string text;
  for (std::uint32_t at = 0; at < artefact.product_count(); ++at) {
    const Ordinal product{at};
    append_product(text, artefact.product_id(product), artefact.title(product), artefact.store(product), artefact.price(product));
  }
  return Fingerprint{blake2b(text)};
}

Fingerprint sessions_fingerprint(const std::vector<EvalSession>& sessions) {
  std::string text;
  for (const EvalSession& session : sessions) {
    for (const std::string_view field : {std::string_view(session.sample_id), to_string(session.scenario), std::string_view(session.target)}) text.append(field).push_back('\0');
  }
  return Fingerprint{blake2b(text)};
}

Result<Ground> load_ground(const GroundOptions& options) {
  if (options.sessions.empty() == (options.generate_sessions == 0)) {
    return fail(ErrorCode::invalid_argument, "give either --sessions FILE or --generate-sessions N");
  }
  Ground ground;
  auto policy = load_policy(options.policy_file);
  if (!policy) return tl::unexpected(policy.error());
  ground.policy = *std::move(policy);
  auto artefact = Artefact::open(options.index);
  if (!artefact) return tl::unexpected(artefact.error());
  ground.artefact = *std::move(artefact);
  ProgressBar progress("catalogue");
  ImportReport import;
  auto rows = read_catalogue(options.catalogue, import, [&progress](std::string_view phase, int permille) { progress.update(phase, permille); });
  if (!rows) return tl::unexpected(rows.error());
  ground.rows = *std::move(rows);
  ground.catalogue = catalogue_fingerprint(*ground.artefact);
  if (const Fingerprint given = catalogue_fingerprint(ground.rows); given != ground.catalogue) {
    return fail(ErrorCode::refused, fmt::format("the index {} was made of another catalogue than {} (fingerprint {} there, {} here); name the one it was made of",
                                                options.index, options.catalogue, to_hex(ground.catalogue.value).substr(0, 16), to_hex(given.value).substr(0, 16)));
  }
  auto sessions = options.sessions.empty() ? make_sessions(ground.rows, options.generate_sessions, options.seed) : read_sessions(options.sessions);
  if (!sessions) return tl::unexpected(sessions.error());
  ground.sessions = *std::move(sessions);
  if (options.limit > 0 && ground.sessions.size() > options.limit) ground.sessions.resize(options.limit);
  return ground;
}

}  // namespace turnstone
