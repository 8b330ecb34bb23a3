import Longwave

extension Relay {
  var collections: any CollectionControl { collectionDesk }
}
