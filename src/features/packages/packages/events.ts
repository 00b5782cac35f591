import type { User } from "../../../core/actor.ts"
import type { Changing, Happened, OfOwner, Row, Undated } from "../../../core/events/event.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "packages/packages": PackageEvent
  }
}

interface OfPackage extends OfOwner {
  readonly actor: User
  readonly package: Row<"packages">
}

/** What happens to packages. */
type PackageEvent =
  /** A new version, with its first file; a version is gone, alone or with the whole package. */
  | (Happened<"package.published" | "package.deleted"> & OfPackage & { readonly owner: User; readonly version: Row<"package_versions"> })
  /** A further file of a version, or not its last one. */
  | (Undated<"package.fileAdded" | "package.fileDeleted"> & OfPackage & { readonly version: Row<"package_versions"> })
  | (Undated<"package.linked" | "package.unlinked"> & OfPackage)
  /** `changed`: tags, visibility or deprecations. */
  | (Undated<"package.edited"> & OfPackage & Changing)
