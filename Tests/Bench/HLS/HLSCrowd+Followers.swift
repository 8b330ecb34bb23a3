// Players that behave as real ones: each begins at a random moment, and rests between lists where it does not wait.

extension HLSCrowd {
  /// - Parameter number: Its number among them. Each second one waits for lists; half of both kinds tell of themselves.
  func beginFollower(_ index: Int, _ number: Int) {
    guard let followers = plan.followers else { return }
    clients[index].follower = HLSFollower(
      live: followers.live, waits: number % 2 == 0, sid: number % 4 < 2 ? nil : "p\(number)")
    let seconds = Double.random(in: 0...followers.seconds, using: &random)
    rest(index, until: monotonicNow() + Int64(seconds * 1e9))
  }

  private func rest(_ index: Int, until time: Int64) {
    resting.append((time, index))
    restsUntil = min(restsUntil, time)
  }

  func wake() {
    let now = monotonicNow()
    guard restsUntil <= now else { return }
    let due = resting.filter { $0.until <= now }
    resting.removeAll { $0.until <= now }
    restsUntil = resting.map(\.until).min() ?? .max
    for (_, index) in due { proceed(index, at: now) }
  }

  private func proceed(_ index: Int, at now: Int64) {
    guard !isStopped, clients[index].isOpen, let follower = clients[index].follower else { return }
    let step = follower.step(at: now)
    if case .rest(let time) = step { return rest(index, until: time) }
    // A server may end a connection on which nothing is asked.
    guard clients[index].fd >= 0 || connect(index) else { return }
    switch step {
    case .list(let path): ask(index, HLSPlan.Wanted(path: path), isSegment: false)
    case .segment(let path): ask(index, HLSPlan.Wanted(path: path), isSegment: true)
    case .rest: break
    }
  }

  /// - Parameter client: As it was before the answer was whole.
  func finishFollower(_ client: Client, _ index: Int, at now: Int64) {
    guard client.answer.status == 200 else { return leave(index) }
    if client.isSegment {
      figures.segments += 1
      figures.loaded.record(nanoseconds: now - client.askedAt)
      compare(client)
      clients[index].follower?.takeSegment(at: now)
    } else {
      figures.lists += 1
      let fault = clients[index].follower?.take(list: client.answer.body, asked: client.askedAt)
      if let fault {
        figures.unusable += 1
        note(fault)
        return leave(index)
      }
      clients[index].next = clients[index].follower?.next
    }
    proceed(index, at: now)
  }

  /// Holds a segment against what others got by its name.
  private func compare(_ client: Client) {
    guard let path = client.wanted?.path else { return }
    let name = String(path.prefix { $0 != "?" })
    let hash = client.answer.hash
    guard let known = contents.updateValue(hash, forKey: name), known != hash else { return }
    figures.different += 1
    note("\(name) with other bytes")
  }
}
