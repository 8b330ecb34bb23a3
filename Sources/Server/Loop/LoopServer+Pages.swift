import Wire

// Answers that grow with what strangers, upstreams or folders hold.
extension LoopServer {
  /// Has it made elsewhere, and sends it then.
  func make(_ slot: UInt32, _ head: HTTPRequestHead, _ order: PageOrder) {
    let token = connections.token(slot)
    let customer = AddressBlock(client(slot, head))
    let pages = shared.pages
    connections[slot].work = Task.detached {
      await self.tell(await pages.page(order, to: head, for: customer), token)
    }
  }

  /// - Parameter page: nil: there was no room for it.
  func tell(_ page: Representation?, _ token: UInt64) {
    answerWork(token) { slot, head in
      if let page {
        reply(slot, head, page)
      } else {
        replyUnavailable(slot, to: head, "too many long answers are asked for; ask again")
      }
    }
  }

  /// What somebody has waited for is there, if they still wait.
  func answerWork(_ token: UInt64, _ body: (UInt32, HTTPRequestHead) -> Void) {
    guard let slot = connections.slot(of: token),
      case .answering(let head, _) = connections[slot].state
    else { return }
    connections[slot].work = nil
    body(slot, head)
    if connections.slot(of: token) != nil { proceed(slot) }
    keepTicking()
  }
}
