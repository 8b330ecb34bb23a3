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
      let bits = Double(variant.bitrate ?? 0) * 1000
      return Variant(
        bandwidth: Self.thousands(bits * 1.1), averageBandwidth: Self.thousands(bits * 1.02),
        codecs: codecs, url: url + request.carried)
    }
    self.init(variants: found)
  }

  /// Bits a second, rounded up to thousands.
  private static func thousands(_ bits: Double) -> Int {
    Int(bounded: (bits / 1000).rounded(.up)).saturatingMultiply(1000)
  }
}
