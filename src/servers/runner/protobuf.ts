import { create, toBinary } from "@bufbuild/protobuf"
import { fileDesc } from "@bufbuild/protobuf/codegenv2"
import {
  FileDescriptorProtoSchema,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  FieldDescriptorProto_Type as Kind,
  FieldDescriptorProto_Label as Label,
} from "@bufbuild/protobuf/wkt"

/** Descriptors of protobuf files from tables: what `protoc` would make of a .proto file, with the same runtime, without a compiler. */

const SCALARS = { string: Kind.STRING, int64: Kind.INT64, bool: Kind.BOOL, bytes: Kind.BYTES } as const
const WELL_KNOWN = { Struct: ".google.protobuf.Struct", Timestamp: ".google.protobuf.Timestamp" } as const

/** A field's number and type: a scalar, `Struct`, `Timestamp`, or an enum or message of the same file; also `repeated` or `map` of it. */
export type Field = readonly [number: number, type: string]

export interface ProtoFile {
  readonly package: string
  /** The names of their values, from 0. */
  readonly enums: Readonly<Record<string, readonly string[]>>
  readonly messages: Readonly<Record<string, Readonly<Record<string, Field>>>>
  /** The requests and answers of the methods of services. */
  readonly services: Readonly<Record<string, Readonly<Record<string, readonly [input: string, output: string]>>>>
}

/** Makes the descriptor of a file. */
export function describeFile(file: ProtoFile) {
  const full = (name: string) => `.${file.package}.${name}`
  const proto = create(FileDescriptorProtoSchema, {
    name: `${file.package}.proto`,
    package: file.package,
    syntax: "proto3",
    dependency: ["google/protobuf/struct.proto", "google/protobuf/timestamp.proto"],
    enumType: Object.entries(file.enums).map(([name, values]) => ({
      name,
      value: values.map((value, number) => ({ name: value, number })),
    })),
    messageType: Object.entries(file.messages).map(([name, fields]) => describeMessage(file, name, fields)),
    service: Object.entries(file.services).map(([name, methods]) => ({
      name,
      method: Object.entries(methods).map(([method, [input, output]]) => ({
        name: method,
        inputType: full(input),
        outputType: full(output),
      })),
    })),
  })
  const bytes = Buffer.from(toBinary(FileDescriptorProtoSchema, proto)).toString("base64")
  return fileDesc(bytes, [file_google_protobuf_struct, file_google_protobuf_timestamp])
}

function describeMessage(file: ProtoFile, message: string, fields: Readonly<Record<string, Field>>) {
  const described = Object.entries(fields).map(([name, [number, type]]) => {
    const [form = "", element = form] = type.split(" ")
    const entry = `${name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Entry`
    if (form !== "map")
      return { field: { name, number, label: form === "repeated" ? Label.REPEATED : Label.OPTIONAL, ...kindOf(file, element) } }
    const field = { name, number, label: Label.REPEATED, type: Kind.MESSAGE, typeName: `.${file.package}.${message}.${entry}` }
    const members = [
      { name: "key", number: 1, label: Label.OPTIONAL, type: Kind.STRING },
      { name: "value", number: 2, label: Label.OPTIONAL, ...kindOf(file, element) },
    ]
    return { field, nested: { name: entry, field: members, options: { mapEntry: true } } }
  })
  return {
    name: message,
    field: described.map(({ field }) => field),
    nestedType: described.flatMap(({ nested }) => (nested ? [nested] : [])),
  }
}

function kindOf({ package: name, enums }: ProtoFile, type: string) {
  if (isNamed(SCALARS, type)) return { type: SCALARS[type] }
  if (isNamed(WELL_KNOWN, type)) return { type: Kind.MESSAGE, typeName: WELL_KNOWN[type] }
  return { type: Object.hasOwn(enums, type) ? Kind.ENUM : Kind.MESSAGE, typeName: `.${name}.${type}` }
}

const isNamed = <T extends object>(table: T, name: PropertyKey): name is keyof T => Object.hasOwn(table, name)
