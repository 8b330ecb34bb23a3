import Wire

// Work that takes a disk, a database or another loop is done elsewhere. Its result is used here if its connection is
// still there.
extension Connections {
  /// Does `work` off the loop, and goes on under the connection's token.
  ///
  /// - Parameter goOn: gets the connection's slot; nil when the connection has gone meanwhile.
  @discardableResult
  func offLoop<Value: Sendable>(
    _ slot: UInt32, _ work: @escaping @Sendable () async -> Value,
    then goOn: @escaping (UInt32?, Value) -> Void
  ) -> Task<Void, Never> {
    let token = token(slot)
    // The server holds all parts of the loop, so the task holds the server.
    let (home, server) = (home, owner.feeder)
    // Both belong to the loop's thread, and are used there only.
    nonisolated(unsafe) let (connections, goOn) = (self, goOn)
    // Detached: a task of the loop would do the work on the loop, while listeners wait.
    return Task.detached {
      let value = await work()
      await home.run {
        goOn(connections.slot(of: token), value)
        if connections.slot(of: token) != nil { connections.owner.keepTicking() }
      }
      withExtendedLifetime(server) {}
    }
  }

  /// Works out an answer off the loop, for a connection in state `.answering`.
  ///
  /// - Parameters:
  ///   - endsWithConnection: whether the work is for this connection alone, and is cancelled when the connection goes.
  ///   - late: gets the value when the connection has gone, or was answered otherwise.
  ///   - answer: called with the connection's slot and its request.
  func answerOffLoop<Value: Sendable>(
    _ slot: UInt32, endsWithConnection: Bool = true,
    _ work: @escaping @Sendable () async -> Value,
    late: @escaping (Value) -> Void = { _ in },
    then answer: @escaping (UInt32, HTTPRequestHead, Value) -> Void
  ) {
    let task = offLoop(slot, work) { [self] slot, value in
      guard let slot, case .answering(let head, _) = table[slot].state else { return late(value) }
      table[slot].work = nil
      let token = token(slot)
      answer(slot, head, value)
      if self.slot(of: token) != nil { owner.proceed(slot) }
    }
    if endsWithConnection { table[slot].work = task }
  }
}
