// The kind of an entry's delivery is decided here.
extension DeliveryMaker {
  /// Begins the delivery of an entry of the list; the owner hears from a later turn of the loop.
  ///
  /// - Parameters:
  ///   - connectTimeout: the seconds for connecting; nil: as the settings say.
  ///   - relayHeaders: the header lines by which relays know each other.
  ///   - onStep: called with each step of the way to the answer.
  func begin(
    _ entry: UpstreamList.Entry, connectTimeout: Double? = nil, relayHeaders: [String] = [],
    owner: any UpstreamDeliveryOwner, onStep: ((TransferStep) -> Void)? = nil
  ) -> any UpstreamDelivery {
    let connectTimeout = connectTimeout ?? settings.connectTimeout
    // No playlist can name a program.
    if entry.lead == nil, let program = settings.program,
      entry.url == UpstreamSettings.shownURL(of: program)
    {
      return ProgramDelivery(
        program, by: self, connectTimeout: connectTimeout, owner: owner, onStep: onStep)
    }
    return PulledDelivery(
      entry, by: self, connectTimeout: connectTimeout, relayHeaders: relayHeaders, owner: owner,
      onStep: onStep)
  }
}
