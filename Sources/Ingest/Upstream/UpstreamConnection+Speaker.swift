import Reactor

extension UpstreamConnection {
  /// Returns whose titles come with the audio.
  ///
  /// - Parameter entry: the connection's entry among the station's URLs.
  func speaker(of entry: String) -> TitleSpeaker {
    guard isPush else { return .upstream(entry) }
    let agent = headers?.fields.first { $0.name.lowercased() == "user-agent" }?.value
    return .encoder(address: peer?.host ?? "", agent: agent, name: headers?.name)
  }
}
