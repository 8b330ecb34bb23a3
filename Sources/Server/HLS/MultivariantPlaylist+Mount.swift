import Timeshift
import Wire

extension MultivariantPlaylist {
  /// - Parameter depth: how many parts of the path stand in front of the playlist's own name.
  init(
    of mount: Mount, _ request: HLSPlaylistRequest, depth: Int, in mounts: MountTable
  ) {
    let chosen = request.bitrate.map { [mounts.mount(mount, within: $0)] }
    let all = chosen ?? [mount] + mounts.variants(of: mount)
    let up = String(repeating: "../", count: max(0, depth))
    let found = all.compactMap { variant -> Variant? in
      guard variant.settings.hls.isOn, variant.hlsProblem == nil,
        let format = variant.log?.snapshot().format,
        let codecs = Self.codecs(
          ShownFormat(format, announced: variant.description.announced), core: format)
      else { return nil }
      let isOwn = variant.station == mount.station
      let url = isOwn ? "main.m3u8" : "\(up)\(variant.station)/hls/main.m3u8"
      // Of a bit rate that varies, what is stored tells more than this moment.
      let (now, stored) = (Double(variant.bitrate ?? 0), variant.log?.storedBitrates)
      return Variant(
        bandwidth: Self.bits(max(now, stored?.most ?? 0) * 1.1),
        averageBandwidth: Self.bits((stored?.average ?? now) * 1.02), codecs: codecs,
        url: url + request.carried)
    }
    self.init(variants: found)
  }

  /// Returns whole kbit/s, rounded up, in bits a second.
  private static func bits(_ kilobits: Double) -> Int {
    Int(bounded: kilobits.rounded(.up)).saturatingMultiply(1000)
  }
}
