#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "storage/catalogue/catalogue.h"
#include "tools/verbs/verb.h"

namespace turnstone {

namespace {

using Json = nlohmann::ordered_json;

struct SearchVerbOptions {
  std::string index;
  std::vector<std::string> words;
  SearchMode mode = SearchMode::any_word;
  std::size_t limit = 10;
  bool json = false;
};

Result<ExitCode> run_search(const SearchVerbOptions& options) {
  std::string query;
  for (const std::string& word : options.words) query += (query.empty() ? "" : " ") + word;
  const auto hits = search_index(options.index, query, options.mode, options.limit);
  if (!hits) return tl::unexpected(hits.error());
  if (options.json) {
    Json document = Json::array();
    for (const SearchHit& hit : *hits) document.push_back({{"id", hit.id}, {"title", hit.title}, {"bm25", hit.bm25}});
    fmt::print("{}\n", document.dump(-1, ' ', false, Json::error_handler_t::replace));
  } else {
    for (const SearchHit& hit : *hits) fmt::print("{:8.3f}  {}  {}\n", hit.bm25, hit.id, hit.title);
    if (hits->empty()) fmt::print(stderr, "nothing found: no product has these words, or the query holds none\n");
  }
  return hits->empty() ? ExitCode::negative : ExitCode::success;
}

}  // namespace

Verb add_search(CLI::App& app) {
  auto options = std::make_shared<SearchVerbOptions>();
  CLI::App& command = add_command(app, "search", "Look for plain words in a catalogue's index of record (no conversation)",
                                  "turnstone search --index idx waterproof hiking boots\n"
                                  "turnstone search --index idx --mode phrase \"pull on closure\" --limit 3");
  static const std::map<std::string, SearchMode> modes{{"any", SearchMode::any_word}, {"all", SearchMode::all_words}, {"phrase", SearchMode::phrase}};
  command.add_option("--index", options->index, "Folder made by turnstone index")->required();
  command.add_option("--mode", options->mode, "Any of the words, all of them, or the phrase")
      ->transform(CLI::CheckedTransformer(modes))
      ->default_str("any");
  command.add_option("--limit", options->limit, "How many products")->check(CLI::Range(std::size_t{1}, std::size_t{10'000}))->capture_default_str();
  command.add_option("QUERY", options->words, "Words; nothing in them is query syntax")->required();
  add_json_flag(command, options->json);
  return {&command, [options] { return run_search(*options); }};
}

}  // namespace turnstone
