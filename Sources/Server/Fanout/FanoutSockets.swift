import Glibc
import Reactor
import Timeshift
import Wire

extension Fanout {
  /// Seconds of audio that may be on their way to a listener: more than the longest way there and back.
  private static let wayMax = 0.25
  /// Most kernel memory of a listener in bytes: FLAC of 24 bit at 192 kHz in stereo has 9 Mbit/s.
  private static let sendBufferBytesMax = 256.0 * 1024

  /// Lets the kernel hold more for a listener of a lossless station, whose audio would not keep up on a long line.
  func widenSocket(of listener: Listener, in shard: MountShard) {
    let (oldest, edge) = (shard.reader.oldest, shard.reader.edge)
    let seconds = (edge.media - oldest.media).seconds
    guard seconds > 0, edge.position > oldest.position else { return }
    let bytes = Double(edge.position - oldest.position) / seconds * Self.wayMax
    guard bytes > Double(ServerConfiguration.sendBufferBytes) else { return }
    Socket.setOption(
      listener.fd, SOL_SOCKET, SO_SNDBUF, Int32(bounded: min(bytes, Self.sendBufferBytesMax)))
  }
}
