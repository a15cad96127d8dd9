import assert from 'node:assert/strict';
import { isImage } from '../../../src/operations/performers/image-type';

describe('A file is taken for an image', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>';
  const box = (brands: string) => `\0\0\0\x1cftyp${brands}`;
  const images: Record<string, string> = {
    JPEG: '\xff\xd8\xff\xe0\0\x10JFIF\0',
    PNG: '\x89PNG\r\n\x1a\n\0\0\0\rIHDR',
    GIF: 'GIF89a\x01\0\x01\0',
    WebP: 'RIFF\x24\0\0\0WEBPVP8 ',
    AVIF: box('avif\0\0\0\0avifmif1'),
    'an AVIF whose brand is among others': box('mif1\0\0\0\0mif1avif'),
    BMP: 'BM\x36\0\x0c\0\0\0\0\0\x36\0\0\0',
    SVG: svg,
    'SVG with a declaration, comments, a document type and a byte order mark': `\xef\xbb\xbf
      <?xml version="1.0"?><!-- <html> --> <!DOCTYPE svg PUBLIC "a" [ <!ENTITY b "c>"> ]>
      <!-- d --><svg width="1">`,
    'SVG with a prefix': '<svg:svg xmlns:svg="http://www.w3.org/2000/svg"/>',
  };
  for (const [what, bytes] of Object.entries(images)) {
    it(`if it is ${what}`, () => {
      assert.equal(isImage(Buffer.from(bytes, 'latin1')), true);
    });
  }

  const others: Record<string, string> = {
    'a text': 'Not Found',
    nothing: '',
    JSON: '{"error": "no <svg"}',
    'a web page with a drawing': `<!doctype html><html><body>${svg}</body></html>`,
    'a web page with a comment before its drawing': `<!-- ${svg} --><html>${svg}</html>`,
    'a text that begins like a BMP': 'BMW 3 Series, a car of 1975',
    'a text that begins with an element like svg': '<svgs/>',
    'a sound': 'RIFF\x24\0\0\0WAVEfmt ',
    'a video': box('isom\0\0\x02\0isomiso2'),
    'a comment without an end': '<!-- <svg>',
  };
  for (const [what, bytes] of Object.entries(others)) {
    it(`unless it is ${what}`, () => {
      assert.equal(isImage(Buffer.from(bytes, 'latin1')), false);
    });
  }

  it('by its beginning, which is read to an end whatever it contains', () => {
    for (const text of [
      '<!---->',
      '<? ?>',
      '<!DOCTYPE svg>',
      ' ',
      '<!DOCTYPE svg [',
      '<? ?><!DOCTYPE svg [>',
    ]) {
      assert.equal(isImage(Buffer.from(text.repeat(1_000_000))), false);
    }
  });
});
