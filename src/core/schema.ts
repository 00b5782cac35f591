import type * as Library from "typebox/schema"
import { onDemand } from "./program/on-demand.ts"

/**
 * JSON Schemas of input and output, which also give the types. The names are those of TypeBox, which checks values against the schemas; these are
 * the few of its builders that are needed, since loading all of it takes longer than everything else at the start.
 */

declare const meaning: unique symbol
const optional = Symbol("optional")

/** A JSON Schema and the type of its values. */
export interface TSchema<T = unknown> {
  /** Never set; only for the compiler. */
  readonly [meaning]?: T
}

/** The type of the values that a schema describes. */
export type Static<S extends TSchema> = S extends TSchema<infer T> ? T : never

export interface Optional {
  readonly [optional]: true
}

export type TProperties = Readonly<Record<string, TSchema>>

type Flat<T> = { [Name in keyof T]: T[Name] }
type Members<P extends TProperties> = Flat<
  { [Name in keyof P as P[Name] extends Optional ? never : Name]: Static<P[Name]> } & {
    [Name in keyof P as P[Name] extends Optional ? Name : never]?: Static<P[Name]>
  }
>

export interface TObject<P extends TProperties = TProperties> extends TSchema<Members<P>> {
  readonly type: "object"
  readonly required?: readonly string[]
  readonly properties: P
}

export interface TArray<S extends TSchema = TSchema> extends TSchema<Static<S>[]> {
  readonly type: "array"
  readonly items: S
}

/** Further keywords: of JSON Schema, or Hearth's own. */
type Keywords = Readonly<Record<string, unknown>>

type AllOf<S extends readonly TSchema[]> = S extends readonly [infer First extends TSchema, ...infer Rest extends readonly TSchema[]]
  ? Static<First> & AllOf<Rest>
  : unknown

const described = <T>(keywords: object): TSchema<T> => keywords
const ofType =
  <T>(type: string) =>
  (keywords: Keywords = {}) =>
    described<T>({ type, ...keywords })

/** The builders. A member of an object is required unless it is `Optional`. */
const Type = {
  Null: ofType<null>("null"),
  Boolean: ofType<boolean>("boolean"),
  Integer: ofType<number>("integer"),
  Number: ofType<number>("number"),
  String: ofType<string>("string"),
  Unknown: (keywords: Keywords = {}) => described<unknown>({ ...keywords }),
  Literal: <const T extends string | number | boolean>(value: T) => described<T>({ type: typeof value, const: value }),

  Array: <S extends TSchema>(items: S, keywords: Keywords = {}): TArray<S> => ({ type: "array", items, ...keywords }),

  Object: <P extends TProperties>(properties: P, keywords: Keywords = {}): TObject<P> => {
    const required = Object.entries(properties).flatMap(([name, member]) => (optional in member ? [] : [name]))
    return { type: "object", ...(required.length > 0 && { required }), properties, ...keywords }
  },

  /** An object with members of any name. */
  Record: <S extends TSchema>(_names: TSchema<string>, members: S, keywords: Keywords = {}) =>
    described<Record<string, Static<S>>>({ type: "object", patternProperties: { "^.*$": members }, ...keywords }),

  Union: <const S extends readonly TSchema[]>(anyOf: S) => described<Static<S[number]>>({ anyOf }),
  Intersect: <const S extends readonly TSchema[]>(allOf: S) => described<AllOf<S>>({ allOf }),

  /** The schema as an optional member. */
  Optional: <S extends TSchema>(schema: S): S & Optional => ({ ...schema, [optional]: true }),

  /** The members of an object, all of them `Optional`. */
  optionals: <P extends TProperties>(properties: P) =>
    // The names stay, but the compiler can't follow them through the entries.
    Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, Type.Optional(member)])) as {
      readonly [Name in keyof P]: P[Name] & Optional
    },

  /** A schema whose type the caller gives. */
  Unsafe: described,
} as const
export default Type

/** Whether the value matches the schema. */
export const Check = <S extends TSchema>(schema: S, value: unknown): value is Static<S> => onDemand("typebox/schema").Check(schema, value)

export type Fault = ReturnType<typeof Library.Errors>[1][number]

/** Where the value doesn't match the schema, in order. */
export const Errors = (schema: TSchema, value: unknown): readonly Fault[] => onDemand("typebox/schema").Errors(schema, value)[1]

export type Validator = Pick<Library.Validator, "Check">

/** Like `Check`, compiled once for many values. */
export const Compile = (schema: TSchema): Validator => onDemand("typebox/schema").Compile(schema)
