import Wire

// Tokens of sessions that listeners come with, where nobody has them: new ones, or guesses at others'.
extension LoopServer {
  /// Tokens nobody has are counted as they are where the API is asked for them. Of an address that has had too many,
  /// those are looked at that were shown from there before; everybody else there listens without a session, so that
  /// nobody is told which of the others there are, and has theirs when they have stayed for a while.
  func withholding(_ request: StreamRequest, from client: APIRequest.Origin) -> StreamRequest {
    guard let token = request.session else { return request }
    let familiarity = shared.sessions.familiarity(of: token, to: AddressBlock(client))
    let guesses = shared.configuration.sessionGuesses
    if familiarity == .own { return request }
    if guesses.isSpent(client) {
      var request = request
      (request.session, request.earned) = (nil, token)
      return request
    }
    if familiarity == .unknown { guesses.wrong(client, Guess(token)) }
    return request
  }

  /// The listener is to have this session when it has stayed. An address has only so many who wait for that: a guess
  /// costs a connection for some seconds.
  func earn(_ token: SessionToken, on slot: UInt32) {
    guard shared.earning.take(AddressBlock(connections[slot].origin)) else { return }
    earning[slot] = token
  }

  func stopEarning(_ slot: UInt32) {
    guard earning.removeValue(forKey: slot) != nil else { return }
    shared.earning.release(AddressBlock(connections[slot].origin))
  }

  /// Once a second: those who have stayed have not guessed.
  func attendGuesses() {
    let enough = shared.sessions.brief
    for (slot, token) in earning where secondsListened(slot) >= enough {
      stopEarning(slot)
      beginEarned(token, on: slot)
    }
    for slot in sessionSlots where connections[slot].session?.isGuess == true {
      guard secondsListened(slot) >= enough else { continue }
      connections[slot].session?.isGuess = false
      shared.configuration.sessionGuesses.takeBack(connections[slot].origin)
    }
  }

  private func beginEarned(_ token: SessionToken, on slot: UInt32) {
    let block = AddressBlock(connections[slot].origin)
    guard case .listening(let shard, let index) = connections[slot].state,
      let shard = shards[shard], shared.sessions[token] == nil,
      shared.sessions.hasRoom(for: token, of: block)
    else { return }
    var listener = shard.listeners[index]
    begin(token, on: slot, &listener, in: shard)
    connections[slot].session?.isGuess = false
    shard.listeners[index] = listener
  }
}
