/** The gallery's page: one scene by the query (`?scene=awaiting&locale=en`), else all of them under one another. */

import { nearestLocale } from '../../../src/checkout/locales/choose-messages.js';
import { scenes } from './models.js';
import { PixGallery } from './pix-gallery.js';

const query = new URLSearchParams(location.search);
const wanted = query.get('scene');
const locale = nearestLocale(query.get('locale')) ?? 'pt-BR';

for (const [name, scene] of Object.entries(scenes)) {
  if (wanted !== null && wanted !== name) continue;
  const element = new PixGallery();
  element.title = name;
  element.model = scene(locale);
  document.body.append(element);
}
