import type { Id, OfRepository, Row, Undated } from "../../../core/events/event.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "code/deploy-keys": DeployKeyEvent
  }
}

/** What happens to deploy keys. */
type DeployKeyEvent = Undated<"deployKey.added" | "deployKey.removed"> & OfRepository & { readonly deployKey: Id<Row<"deploy_keys">> }
