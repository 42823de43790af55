#include "storage/catalogue/fts_tokeniser.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

#include "storage/artefact/tokeniser.h"
#include "storage/catalogue/postings.h"

namespace turnstone {
namespace {

struct TokeniserContext {
  const Language* language = nullptr;
  DocumentForm form = DocumentForm::text;
};

using TokenCallback = int (*)(void*, int, const char*, int, int, int);

int create_tokeniser(void* context, const char**, int, Fts5Tokenizer** out) {
  *out = reinterpret_cast<Fts5Tokenizer*>(new (std::nothrow) TokeniserContext(*static_cast<TokeniserContext*>(context)));
  return *out == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

void delete_tokeniser(Fts5Tokenizer* tokeniser) { delete reinterpret_cast<TokeniserContext*>(tokeniser); }

int give_terms(std::string_view terms, void* context, TokenCallback token) {
  std::size_t begin = 0;
  while (begin < terms.size()) {
    const std::size_t end = std::min(terms.find(' ', begin), terms.size());
    const int code = token(context, 0, terms.data() + begin, static_cast<int>(end - begin), static_cast<int>(begin), static_cast<int>(end));
    if (code != SQLITE_OK) return code;
    begin = end + 1;
  }
  return SQLITE_OK;
}

int run_tokeniser(Fts5Tokenizer* tokeniser, void* context, int flags, const char* text, int size, TokenCallback token) {
  const auto& self = *reinterpret_cast<TokeniserContext*>(tokeniser);
  const std::string_view given(text, static_cast<std::size_t>(size));
  if (self.form == DocumentForm::terms && (flags & FTS5_TOKENIZE_DOCUMENT) != 0) return give_terms(given, context, token);
  for (const Token& t : tokenise(given, *self.language)) {
    const int code = token(context, 0, t.term.data(), static_cast<int>(t.term.size()), static_cast<int>(t.begin), static_cast<int>(t.end));
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

// idf of each phrase of a query, counted once a query.
struct QueryIdf {
  std::vector<double> idf;
};

int count_row(const Fts5ExtensionApi*, Fts5Context*, void* count) {
  ++*static_cast<std::uint64_t*>(count);
  return SQLITE_OK;
}

int idf_of_query(const Fts5ExtensionApi* api, Fts5Context* context, const QueryIdf** out) {
  if (void* known = api->xGetAuxdata(context, 0)) {
    *out = static_cast<const QueryIdf*>(known);
    return SQLITE_OK;
  }
  auto query = std::make_unique<QueryIdf>();
  sqlite3_int64 rows = 0;
  int code = api->xRowCount(context, &rows);
  for (int phrase = 0; code == SQLITE_OK && phrase < api->xPhraseCount(context); ++phrase) {
    std::uint64_t found = 0;
    code = api->xQueryPhrase(context, phrase, &found, count_row);
    query->idf.push_back(inverse_document_frequency(static_cast<std::uint64_t>(rows), found));
  }
  if (code != SQLITE_OK) return code;
  *out = query.get();
  return api->xSetAuxdata(context, query.release(), [](void* p) { delete static_cast<QueryIdf*>(p); });
}

// Columns stand in the order of ListingField.
void rank_function(const Fts5ExtensionApi* api, Fts5Context* context, sqlite3_context* result, int, sqlite3_value**) {
  const QueryIdf* query = nullptr;
  int instances = 0;
  int code = idf_of_query(api, context, &query);
  if (code == SQLITE_OK) code = api->xInstCount(context, &instances);
  std::vector<double> weights(code == SQLITE_OK ? query->idf.size() : 0, 0.0);
  for (int i = 0; code == SQLITE_OK && i < instances; ++i) {
    int phrase = 0;
    int column = 0;
    int offset = 0;
    code = api->xInst(context, i, &phrase, &column, &offset);
    if (code == SQLITE_OK) weights[static_cast<std::size_t>(phrase)] += field_weights[static_cast<std::size_t>(column)];
  }
  if (code != SQLITE_OK) {
    sqlite3_result_error_code(result, code);
    return;
  }
  double score = 0;
  for (std::size_t phrase = 0; phrase < weights.size(); ++phrase) score += query->idf[phrase] * weights[phrase] / (bm25_k1 + weights[phrase]);
  sqlite3_result_double(result, score);
}

fts5_api* api_of(sqlite3* database) {
  fts5_api* api = nullptr;
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database, "SELECT fts5(?1)", -1, &statement, nullptr) == SQLITE_OK) {
    sqlite3_bind_pointer(statement, 1, static_cast<void*>(&api), "fts5_api_ptr", nullptr);
    sqlite3_step(statement);
  }
  sqlite3_finalize(statement);
  return api;
}

}  // namespace

Status register_fts(sqlite3* database, const Language& language, DocumentForm form) {
  fts5_api* api = api_of(database);
  if (api == nullptr) return fail(ErrorCode::unsupported, "this SQLite has no FTS5: install Debian's libsqlite3-0");
  fts5_tokenizer tokeniser{create_tokeniser, delete_tokeniser, run_tokeniser};
  auto* context = new TokeniserContext{&language, form};
  const auto free_context = [](void* p) { delete static_cast<TokeniserContext*>(p); };
  if (api->xCreateTokenizer(api, "turnstone", context, &tokeniser, free_context) != SQLITE_OK ||
      api->xCreateFunction(api, "turnstone_rank", nullptr, rank_function, nullptr) != SQLITE_OK) {
    return fail(ErrorCode::internal, fmt::format("SQLite does not take our tokeniser: {}", sqlite3_errmsg(database)));
  }
  return {};
}

}  // namespace turnstone
