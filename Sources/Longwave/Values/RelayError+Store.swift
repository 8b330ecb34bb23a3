import Store

extension RelayError {
  /// A database on a disk that does not answer is such a disk for whoever asked.
  static func failed(by cause: StoreError) -> RelayError {
    cause.isSilence ? .silentDisk(cause.description) : .failed(cause.description)
  }

  /// Does what a disk may not let happen, and throws why.
  static func attempt<Value>(
    _ work: () async throws -> Value
  ) async throws(RelayError) -> Value {
    do {
      return try await work()
    } catch let error as StoreError {
      throw failed(by: error)
    } catch {
      throw failed(by: error)
    }
  }
}
