// Compresses or decompresses stdin to stdout with Node's own zstd: the same format as `zstd -1` with a checksum.

const { pipeline } = require("node:stream");
const { constants, createZstdCompress, createZstdDecompress } = require("node:zlib");

const compressor = () =>
  createZstdCompress({
    chunkSize: 256 * 1024,
    params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 },
  });
const transform = process.argv[1] === "decompress" ? createZstdDecompress() : compressor();

pipeline(process.stdin, transform, process.stdout, (error) => {
  if (!error) return;
  console.error(error.message);
  process.exit(1);
});
