import Timeshift
import Wire

/// One loop's share of a mount: its own reader of the log, and its listeners in one flat array.
final class MountShard {
  var mount: Mount
  let reader: LogReader
  let blocks = ICYBlocks()
  let starts = OggStarts()
  var listeners: [Listener] = []
  // Private, so that the compiler sees all there is of it and checks nothing at run time.
  private var rateNow = 1.0
  /// Media seconds per monotonic second, read once a turn.
  var rate: Double { rateNow }

  init(_ mount: Mount) {
    self.mount = mount
    reader = LogReader(mount.log, delay: mount.delay)
    startTurn()
  }

  var policy: SlowListenerPolicy { SlowListenerPolicy(settings: mount.settings) }

  /// Takes the log's new edge and, if they changed, its lists.
  func startTurn() {
    reader.refresh()
    blocks.startTurn()
    rateNow = mount.log.rate
  }

  /// Takes a listener out; the last one moves into its place.
  /// - Returns: the connection slot of the one that moved, nil if none did.
  func remove(at index: Int) -> UInt32? {
    let last = listeners.count - 1
    listeners.swapAt(index, last)
    listeners.removeLast()
    return index < last ? listeners[index].slot : nil
  }
}
