#include "tools/generate/row_writer.h"

#include <fmt/format.h>
#include <zstd.h>

#include <vector>

#include "storage/files/output_file.h"

namespace turnstone {

namespace {
constexpr std::size_t buffer_bytes = 1 << 20;
constexpr int zstd_level = 3;
}  // namespace

struct RowWriter::Sink {
  std::unique_ptr<OutputFile> out;
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> zstd{nullptr, &ZSTD_freeCCtx};
  std::vector<char> packed;
};

RowWriter::RowWriter() : sink_(std::make_unique<Sink>()) {}
RowWriter::~RowWriter() = default;

Result<std::unique_ptr<RowWriter>> RowWriter::open(const std::string& file) {
  std::unique_ptr<RowWriter> writer(new RowWriter);
  Sink& sink = *writer->sink_;
  auto out = OutputFile::open(file);
  if (!out) return tl::unexpected(out.error());
  sink.out = std::move(*out);
  if (file.ends_with(".zst")) {
    sink.zstd.reset(ZSTD_createCCtx());
    ZSTD_CCtx_setParameter(sink.zstd.get(), ZSTD_c_compressionLevel, zstd_level);
    sink.packed.resize(ZSTD_CStreamOutSize());
  }
  return writer;
}

Status RowWriter::line(std::string_view text) {
  buffer_ += text;
  buffer_ += '\n';
  return buffer_.size() >= buffer_bytes ? flush(false) : Status{};
}

Status RowWriter::flush(bool last) {
  if (sink_->zstd == nullptr) {
    auto written = sink_->out->write(buffer_);
    buffer_.clear();
    return written;
  }
  ZSTD_inBuffer in{buffer_.data(), buffer_.size(), 0};
  for (bool done = false; !done;) {
    ZSTD_outBuffer out{sink_->packed.data(), sink_->packed.size(), 0};
    const std::size_t left = ZSTD_compressStream2(sink_->zstd.get(), &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(left) != 0) return fail(ErrorCode::internal, fmt::format("zstd: {}", ZSTD_getErrorName(left)));
    if (auto written = sink_->out->write({sink_->packed.data(), out.pos}); !written) return written;
    done = last ? left == 0 : in.pos == in.size;
  }
  buffer_.clear();
  return {};
}

Status RowWriter::finish() {
  if (auto flushed = flush(true); !flushed) return flushed;
  return sink_->out->finish();
}

}  // namespace turnstone
