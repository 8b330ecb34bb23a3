/// Memory into which a loop reads input, one for all its connections.
final class InputBuffer {
  let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 * 1024, alignment: 16)
  deinit { bytes.deallocate() }
}
