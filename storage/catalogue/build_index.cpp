// build_index: catalogue file → artefact and SQLite index of record.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

#include "events/types.h"
#include "storage/artefact/artefact.h"
#include "storage/artefact/format.h"
#include "storage/catalogue/artefact_writer.h"
#include "storage/catalogue/catalogue.h"
#include "storage/catalogue/column_audit.h"
#include "storage/catalogue/corpus.h"
#include "storage/catalogue/facets.h"
#include "storage/catalogue/postings.h"
#include "storage/catalogue/product_types.h"
#include "storage/catalogue/sqlite_index.h"
#include "storage/catalogue/vocabulary.h"
#include "storage/files/output_file.h"

namespace turnstone {
namespace {

constexpr std::uintmax_t language_file_bytes_max = 8u << 20;

// The defaults, extended by every *.toml of the folder in name order.
Result<Language> read_language(const std::string& directory) {
  if (directory.empty()) return Language::standard();
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() == ".toml") files.push_back(entry->path());
  }
  if (error) return fail(ErrorCode::not_found, fmt::format("cannot read the language folder {}: {}", directory, error.message()));
  std::sort(files.begin(), files.end());
  std::string toml = Language::standard().source();
  for (const auto& file : files) {
    if (std::filesystem::file_size(file, error) > language_file_bytes_max || error) {
      return fail(ErrorCode::limit_exceeded, fmt::format("{} cannot be read or is larger than {} bytes", file.string(), language_file_bytes_max));
    }
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    // Alone first, so that an error names the file.
    if (auto alone = Language::parse(text.str()); !alone) return fail(alone.error().code, file.string() + ": " + alone.error().detail);
    toml += "\n" + text.str();
  }
  return Language::parse(toml);
}

Status write_artefact(const std::string& path, std::string_view bytes) {
  auto file = OutputFile::open(path);
  if (!file) return tl::unexpected(file.error());
  if (auto written = (*file)->write(bytes); !written) return written;
  return (*file)->finish();
}

// Ledgers and indexes are kept and thrown away at different times.
Status expect_no_ledger(const std::string& directory) {
  std::error_code error;
  if (!std::filesystem::exists(directory + "/ANCHOR", error)) return {};
  return fail(ErrorCode::refused, fmt::format("{} is the folder of a ledger; name another one for the index", directory));
}

Progress share_of(const Progress& progress, int first, int last) {
  if (!progress) return {};
  return [progress, first, last](std::string_view phase, int permille) { progress(phase, first + (last - first) * permille / 1000); };
}

}  // namespace

Result<IndexReport> build_index(const std::string& catalogue_file, const std::string& directory, const IndexOptions& options,
                                const Progress& progress) {
  const auto step = [&progress](std::string_view phase, int permille) {
    if (progress) progress(phase, permille);
  };
  IndexReport report;
  if (auto own = expect_no_ledger(directory); !own) return tl::unexpected(own.error());
  auto language = read_language(options.language_directory);
  if (!language) return tl::unexpected(language.error());
  auto rows = read_catalogue(catalogue_file, report.import, share_of(progress, 0, 150), {&*language, options.columns, options.currency});
  if (!rows) return tl::unexpected(rows.error());
  std::error_code made;
  std::filesystem::create_directories(directory, made);
  if (made) return fail(ErrorCode::io, fmt::format("cannot create the folder {}: {}", directory, made.message()));

  const Corpus corpus(std::move(*rows), *language, share_of(progress, 150, 400));
  // The index of record is written on the side: it needs nothing but the corpus.
  SqliteIndexFile sqlite(directory);
  Status sqlite_written;
  std::jthread sqlite_writer;
  if (options.write_sqlite) sqlite_writer = std::jthread([&] { sqlite_written = sqlite.write(corpus); });
  step("postings", 400);
  const Postings postings = build_postings(corpus);
  step("auditing", 500);
  std::vector<Column> columns = audit_columns(corpus);
  step("facets", 650);
  FacetDrafts facets;
  add_column_facets(corpus, columns, facets);
  report.audit_json = audit_document(corpus, columns);
  add_field_facets(corpus, report.import.roles.currency, facets);
  step("product types", 720);
  add_category_facet(corpus, columns, facets);
  add_feature_facet(corpus, facets);
  step("facets in texts", 780);
  add_text_facets(corpus, facets);
  for (auto& [name, facet] : facets) facet.finish(corpus.size());
  step("vocabulary", 850);
  const std::vector<PhraseDraft> vocabulary = build_vocabulary(corpus, facets);
  step("writing", 900);
  auto bytes = encode_artefact({corpus, postings, facets, vocabulary, report.audit_json});
  if (!bytes) return tl::unexpected(bytes.error());
  if (auto written = write_artefact(directory + "/" + std::string(format::file_name), *bytes); !written) return tl::unexpected(written.error());
  report.artefact_bytes = bytes->size();
  auto artefact = Artefact::open(directory);  // what was written can be read
  if (!artefact) return tl::unexpected(artefact.error());
  report.fingerprint = to_hex((*artefact)->fingerprint().value);
  if (options.write_sqlite) {
    step("index of record", 950);
    sqlite_writer.join();
    if (!sqlite_written) return tl::unexpected(sqlite_written.error());
    if (auto published = sqlite.publish(report.fingerprint); !published) return tl::unexpected(published.error());
  }
  step("done", 1000);
  return report;
}

}  // namespace turnstone
