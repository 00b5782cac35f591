import type { Generated } from "kysely"
import type { Flag, Seconds } from "./types.ts"

/** Content of files of packages, stored once for all files that have it. */
export interface PackageBlobsTable {
  id: Generated<number>
  /** The name of the file that holds it. Content that is uploaded again after its removal gets a new one. */
  file: string
  /** Bytes. */
  size: number
  md5: string
  sha1: string
  sha256: string
  sha512: string
  created_at: Seconds
  /** When it was last uploaded. */
  used_at: Seconds
}

/** A package of a person or organisation. Its name is unique among those of its owner and type, in any letter case. */
export interface PackagesTable {
  id: Generated<number>
  owner_id: number
  /** The repository that it is built from. Those who may not read a private one don't see the package. */
  repository_id: number | null
  /** The registry that it belongs to. */
  type: string
  name: string
  lower_name: string
  /** Seen only by those who belong to the owner. */
  is_restricted: Generated<Flag>
  /** Grows with every change of the package or its versions. */
  revision: Generated<number>
  created_at: Seconds
}

export interface PackageVersionsTable {
  id: Generated<number>
  package_id: number
  creator_id: number | null
  version: string
  lower_version: string
  /** What the registry keeps about it, in JSON. */
  metadata: string
  created_at: Seconds
}

export interface PackageFilesTable {
  id: Generated<number>
  version_id: number
  blob_id: number
  name: string
  lower_name: string
  created_at: Seconds
}

/** A name for one of a package's versions: `latest` and others. */
export interface PackageTagsTable {
  package_id: number
  name: string
  version_id: number
}

/** What the nightly clean-up removes of an owner's packages of one type. */
export interface PackageRulesTable {
  id: Generated<number>
  owner_id: number
  type: string
  is_enabled: Generated<Flag>
  /** The newest versions that always stay. */
  keep_count: Generated<number>
  /** Versions that always stay: a regular expression; "" for none. */
  keep_pattern: Generated<string>
  /** Days before a version may be removed. */
  remove_days: Generated<number>
  /** Versions that may be removed: a regular expression; "" for all. */
  remove_pattern: Generated<string>
  /** Why the rule could not be followed last time; "" if it could. */
  failure: Generated<string>
  checked_at: Generated<Seconds>
}

export interface PackageTables {
  package_blobs: PackageBlobsTable
  packages: PackagesTable
  package_versions: PackageVersionsTable
  package_files: PackageFilesTable
  package_tags: PackageTagsTable
  package_rules: PackageRulesTable
}
