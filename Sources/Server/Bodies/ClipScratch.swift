import Timeshift

/// Memory into which a loop's bodies are read, one after the other.
final class ClipScratch {
  let bytes = UnsafeMutableRawBufferPointer.allocate(
    byteCount: LogReader.clipScratchBytes, alignment: 16)
  deinit { bytes.deallocate() }
}
