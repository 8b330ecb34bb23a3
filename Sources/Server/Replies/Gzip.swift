import CZlib

/// zlib, for whole answers.
package enum Gzip {
  /// Returns the content as a gzip file (RFC 1952) without name and time, so that the same content is the same bytes;
  /// nil where zlib has no memory.
  package static func compress(_ content: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    // 15 bits of window, and 16 for gzip's head and end instead of zlib's; 6 and 8 are zlib's defaults.
    guard
      deflateInit2_(
        &stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
        Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { return nil }
    defer { deflateEnd(&stream) }
    let size = Int(deflateBound(&stream, UInt(content.count)))
    var result = Z_STREAM_ERROR
    let packed = [UInt8](unsafeUninitializedCapacity: size) { output, count in
      content.withUnsafeBufferPointer { input in
        stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(output.count)
        result = deflate(&stream, Z_FINISH)
      }
      count = size - Int(stream.avail_out)
    }
    return result == Z_STREAM_END ? packed : nil
  }
}
