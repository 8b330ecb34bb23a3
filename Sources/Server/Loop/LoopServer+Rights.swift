import Timeshift
import Wire

// What a station lets nobody do: go back in time, as far as they like, or take pieces of it along.
extension LoopServer {
  /// Answers whoever wants what the station does not allow; false: it does.
  func refuseForbidden(
    _ slot: UInt32, _ head: HTTPRequestHead, _ wanted: Wanted, of mount: Mount
  ) -> Bool {
    switch wanted {
    case .stream(let request):
      guard !mount.settings.allowsShift, request.place != .live else { return false }
      counts.refused += 1
      replyError(
        slot, to: head, status: 403, code: "shift-off",
        message: "station \(mount.station) is heard live only; leave out offset and at",
        field: head.query["offset"] == nil ? "at" : "offset")
    case .clip:
      if mount.settings.givesClips { return false }
      counts.refused += 1
      replyError(
        slot, to: head, status: 403, code: "clip-off",
        message: "station \(mount.station) gives no clips")
    case .file, .fileList: return false
    }
    return true
  }

  /// Moves a listener that has fallen further behind than the station lets anybody go; false: it has not.
  func comeWithinReach(
    _ shard: MountShard, _ index: Int, cursor: MediaTime, now: Int64
  ) -> Bool {
    guard !shard.isFallback, let reach = shard.mount.settings.reach else { return false }
    let listener = shard.listeners[index]
    let behind = shard.reader.edge.media - cursor
    guard behind > reach.offset + reach.slack + listener.pace.burst else { return false }
    _ = fanout.steer(&shard.listeners[index], reach.end, in: shard, now: now)
    return true
  }
}
