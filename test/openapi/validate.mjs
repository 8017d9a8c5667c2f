#!/usr/bin/env node
// node validate.mjs FILE: fails if one of two validators refuses an OpenAPI document.
import SwaggerParser from '@apidevtools/swagger-parser';
import { Validator } from '@seriousme/openapi-schema-validator';

const [, , file] = process.argv;
await SwaggerParser.validate(file);
const { valid, errors } = await new Validator().validate(file);
if (!valid) throw new Error(JSON.stringify(errors, null, 2));
