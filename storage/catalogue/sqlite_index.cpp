#include "storage/catalogue/sqlite_index.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "storage/artefact/tokeniser.h"
#include "storage/catalogue/catalogue.h"
#include "storage/catalogue/fts_tokeniser.h"
#include "storage/catalogue/sqlite_connection.h"
#include "storage/files/output_file.h"

namespace turnstone {
namespace {

using Json = nlohmann::ordered_json;

// The file is built beside its place and thrown away on any error, so it needs no journal while it grows.
constexpr std::string_view schema = R"(
PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -16384;
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE product(ordinal INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, title TEXT NOT NULL, categories TEXT NOT NULL, features TEXT NOT NULL,
                     description TEXT NOT NULL, details TEXT NOT NULL, store TEXT, price INTEGER, average_rating INTEGER, rating_number INTEGER);
CREATE VIRTUAL TABLE listing USING fts5(title, categories, features, details, store, description, content='', detail=full, tokenize='turnstone');
INSERT INTO listing(listing, rank) VALUES('hashsize', 16777216);
INSERT INTO listing(listing, rank) VALUES('automerge', 0);
)";

std::string json_text(const Json& document) { return document.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json list_document(const std::vector<std::string>& texts) { return texts.empty() ? Json::array() : Json(texts); }

void bind_optional(SqliteStatement& statement, int index, std::optional<std::int64_t> number) {
  if (number)
    statement.bind(index, *number);
  else
    statement.bind_null(index);
}

Status insert_row(SqliteStatement& statement, std::uint32_t ordinal, const ProductRow& row) {
  const std::string categories = json_text(list_document(row.categories));
  const std::string features = json_text(list_document(row.features));
  const std::string description = json_text(list_document(row.description));
  Json pairs = Json::array();  // a column may stand twice
  for (const auto& [key, value] : row.details) pairs.push_back({key, value});
  const std::string details = json_text(pairs);
  statement.reset();
  statement.bind(1, std::int64_t{ordinal});
  statement.bind(2, row.id);
  statement.bind(3, row.title);
  statement.bind(4, categories);
  statement.bind(5, features);
  statement.bind(6, description);
  statement.bind(7, details);
  if (row.store.empty())
    statement.bind_null(8);
  else
    statement.bind(8, row.store);
  bind_optional(statement, 9, row.price ? std::optional(row.price->value) : std::nullopt);
  bind_optional(statement, 10, row.average_rating ? std::optional(row.average_rating->value) : std::nullopt);
  bind_optional(statement, 11, row.rating_number ? std::optional<std::int64_t>(*row.rating_number) : std::nullopt);
  auto done = statement.step();
  return done ? Status{} : tl::unexpected(done.error());
}

Status insert_listing(SqliteStatement& statement, std::uint32_t ordinal, const Corpus& corpus) {
  std::array<std::string, listing_field_count> texts;
  for (const CorpusPart& part : corpus.parts(ordinal)) {
    std::string& text = texts[static_cast<std::size_t>(part.field)];
    if (!text.empty()) text.append(" ").append(part_border);
    for (const std::uint32_t term : corpus.terms(part)) {
      if (!text.empty()) text += ' ';
      text += corpus.term_texts()[term];
    }
  }
  statement.reset();
  statement.bind(1, std::int64_t{ordinal});
  for (std::size_t field = 0; field < texts.size(); ++field) statement.bind(static_cast<int>(field) + 2, texts[field]);
  auto done = statement.step();
  return done ? Status{} : tl::unexpected(done.error());
}

Status write_meta(const SqliteConnection& connection, std::string_view key, std::string_view value) {
  auto statement = connection.prepare("INSERT OR REPLACE INTO meta VALUES(?1, ?2)");
  if (!statement) return tl::unexpected(statement.error());
  statement->bind(1, key);
  statement->bind(2, value);
  auto done = statement->step();
  return done ? Status{} : tl::unexpected(done.error());
}

// The words of a query as FTS5 strings: whatever was typed, nothing is left of it but words.
std::string match_expression(std::string_view query, SearchMode mode, const Language& language) {
  std::vector<Token> tokens = tokenise(query, language);
  if (tokens.size() > search_terms_max) tokens.resize(search_terms_max);
  std::string expression;
  if (mode == SearchMode::phrase) {
    for (const Token& token : tokens) expression += (expression.empty() ? "" : " + ") + ('"' + token.surface + '"');
    return expression;
  }
  std::vector<std::string> seen;
  for (const Token& token : tokens) {
    if (std::find(seen.begin(), seen.end(), token.term) != seen.end()) continue;
    seen.push_back(token.term);
    if (!expression.empty()) expression += mode == SearchMode::any_word ? " OR " : " AND ";
    expression += '"' + token.surface + '"';
  }
  return expression;
}

Result<Language> language_of(const SqliteConnection& connection, const std::string& directory) {
  auto statement = connection.prepare("SELECT value FROM meta WHERE key = 'language'");
  if (!statement) return fail(ErrorCode::corrupt, fmt::format("{} is no index of record: build it again with turnstone index", directory));
  auto row = statement->step();
  if (!row) return tl::unexpected(row.error());
  if (!*row) return fail(ErrorCode::corrupt, fmt::format("{} lacks its language data: build it again with turnstone index", directory));
  return Language::parse(statement->text(0));
}

}  // namespace

SqliteIndexFile::SqliteIndexFile(const std::string& directory)
    : path_(resolve_links(directory + "/" + std::string(sqlite_file_name)).value_or(directory + "/" + std::string(sqlite_file_name))),
      beside_(path_ + ".new"),
      journal_(beside_.path() + "-journal") {}

SqliteIndexFile::~SqliteIndexFile() {
  std::error_code ignored;
  std::filesystem::remove(beside_.path(), ignored);  // left over when it was not published
}

Status SqliteIndexFile::write(const Corpus& corpus) {
  std::error_code ignored;
  std::filesystem::remove(beside_.path(), ignored);
  auto connection = SqliteConnection::open(beside_.path(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX);
  if (!connection) return tl::unexpected(connection.error());
  if (auto registered = register_fts(connection->get(), corpus.language(), DocumentForm::terms); !registered) return registered;
  if (auto made = connection->execute(std::string(schema)); !made) return made;
  if (auto begun = connection->execute("BEGIN"); !begun) return begun;
  auto rows = connection->prepare("INSERT INTO product VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)");
  auto listings =
      connection->prepare("INSERT INTO listing(rowid, title, categories, features, details, store, description) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)");
  if (!rows) return tl::unexpected(rows.error());
  if (!listings) return tl::unexpected(listings.error());
  for (std::uint32_t ordinal = 0; ordinal < corpus.size(); ++ordinal) {
    if (auto done = insert_row(*rows, ordinal, corpus.row(ordinal)); !done) return done;
    if (auto done = insert_listing(*listings, ordinal, corpus); !done) return done;
  }
  if (auto done = write_meta(*connection, "language", corpus.language().source()); !done) return done;
  if (auto done = write_meta(*connection, "rows", std::to_string(corpus.size())); !done) return done;
  return connection->execute("COMMIT");
}

Status SqliteIndexFile::publish(std::string_view artefact_fingerprint) {
  {
    auto connection = SqliteConnection::open(beside_.path(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX);
    if (!connection) return tl::unexpected(connection.error());
    if (auto done = write_meta(*connection, "artefact", artefact_fingerprint); !done) return done;
  }
  const int file = ::open(beside_.path().c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = file >= 0 && ::fsync(file) == 0;
  if (file >= 0) ::close(file);
  if (!synced || std::rename(beside_.path().c_str(), path_.c_str()) != 0) {
    return fail(errno == ENOSPC ? ErrorCode::no_space : ErrorCode::io, fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
  }
  return {};
}

Result<std::vector<SearchHit>> search_index(const std::string& directory, std::string_view query, SearchMode mode, std::size_t limit) {
  auto connection = SqliteConnection::open(directory + "/" + std::string(sqlite_file_name), SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX);
  if (!connection) {
    Error error = connection.error();
    error.detail += " (is this the --out folder of turnstone index?)";
    return tl::unexpected(error);
  }
  auto language = language_of(*connection, directory);
  if (!language) return tl::unexpected(language.error());
  if (auto registered = register_fts(connection->get(), *language, DocumentForm::text); !registered) return tl::unexpected(registered.error());

  const std::string expression = match_expression(query, mode, *language);
  std::vector<SearchHit> hits;
  if (expression.empty()) return hits;
  auto statement = connection->prepare(
      "SELECT p.id, p.title, f.score FROM (SELECT rowid, turnstone_rank(listing) AS score FROM listing WHERE listing MATCH ?1 "
      "ORDER BY score DESC, rowid LIMIT ?2) AS f JOIN product AS p ON p.ordinal = f.rowid ORDER BY f.score DESC, f.rowid");
  if (!statement) return tl::unexpected(statement.error());
  statement->bind(1, expression);
  statement->bind(2, static_cast<std::int64_t>(limit));
  while (true) {
    auto row = statement->step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return hits;
    hits.push_back({statement->text(0), statement->text(1), statement->real(2)});
  }
}

}  // namespace turnstone
