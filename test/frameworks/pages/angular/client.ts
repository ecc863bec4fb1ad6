import '@angular/compiler';
import { bootstrapApplication } from '@angular/platform-browser';
import { configOf, Page, type Given } from './page.js';

Object.assign(globalThis, { ngServerMode: false });
bootstrapApplication(Page, configOf(Reflect.get(globalThis, 'given') as Given));
