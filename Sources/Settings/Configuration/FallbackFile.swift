import Glibc
import Ingest
import Reactor
import Timeshift
import Wire

/// A file that is played over and over. Every function here may block.
package struct FallbackFile: Hashable, Sendable {
  package let path: String

  package init(path: String) { self.path = path }

  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String

    package init(description: String) { self.description = description }
  }

  private static let pieceBytes = 64 * 1024
  /// Bytes in which audio has to begin; tags in front of audio are shorter.
  private static let probedMax = 32 * 1024 * 1024

  /// Returns the format of the file's first packet.
  package func format() throws(Failure) -> AudioFormat {
    var probe = FormatProbe()
    var place = 0
    while place < Self.probedMax {
      let piece = try read(from: place)
      if let format = piece.isEmpty ? probe.finish() : probe.read(piece) { return format }
      if piece.isEmpty { break }
      place += piece.count
    }
    throw Failure(
      description:
        "\(Secrecy.path(path)) has no audio of a known format; write a file in the stream's format")
  }

  package var probed: Result<AudioFormat, Failure> { Result { () throws(Failure) in try format() } }

  /// Returns the next piece; empty at the file's end. Opens the file each time, so that it may be replaced at any time.
  package func read(from place: Int) throws(Failure) -> [UInt8] {
    PathLook.at(path)
    // Opening a pipe must not wait for its other end; a pipe is refused below.
    let fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard fd >= 0 else { throw failure("cannot be opened") }
    defer { close(fd) }
    guard RegularFile.isBehind(fd) else {
      throw Failure(description: "\(Secrecy.path(path)) is not a file")
    }
    var count = 0
    let piece = [UInt8](unsafeUninitializedCapacity: Self.pieceBytes) { buffer, filled in
      count = pread(fd, buffer.baseAddress, buffer.count, off_t(place))
      filled = max(0, count)
    }
    if count < 0 { throw failure("cannot be read") }
    return piece
  }

  private func failure(_ what: String) -> Failure {
    Failure(description: "\(Secrecy.path(path)) \(what): \(String(cString: strerror(errno)))")
  }
}
